// Two queue pairs in this process, through libibverbs' interface.
#include "soft_efa/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "soft_efa/settings.h"
#include "soft_efa/status.h"

namespace pairbench::soft_efa {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint32_t kKey = 0x1234;
constexpr std::size_t kBytes = std::size_t{1} << 20;
constexpr unsigned kRights =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

// A queue pair with all that it needs.
class End {
 public:
  explicit End(std::uint8_t rnr_retry = 7) {
    ibv_cq_init_attr_ex queue{};
    queue.cqe = 1024;
    efadv_cq_init_attr efa_queue{};
    cq_ = efadv_create_cq(context_, &queue, &efa_queue, sizeof efa_queue);
    ibv_qp_init_attr_ex attributes{};
    attributes.send_cq = attributes.recv_cq = ibv_cq_ex_to_cq(cq_);
    attributes.cap.max_send_wr = attributes.cap.max_recv_wr = 16;
    attributes.qp_type = IBV_QPT_DRIVER;
    attributes.pd = domain_;
    efadv_qp_init_attr efa_attributes{};
    qp_ = efadv_create_qp_ex(context_, &attributes, &efa_attributes, sizeof efa_attributes);
    make_ready(rnr_retry);
  }
  ~End() {
    close();
    ibv_destroy_cq(ibv_cq_ex_to_cq(cq_));
    deregister();
    ibv_dealloc_pd(domain_);
    ibv_close_device(context_);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  void close() {
    if (qp_ != nullptr) ibv_destroy_qp(qp_);
    qp_ = nullptr;
  }
  void deregister() {
    if (region_ != nullptr) ibv_dereg_mr(region_);
    region_ = nullptr;
  }

  std::vector<std::byte>& memory() { return memory_; }
  std::uint32_t number() const { return qp_->qp_num; }
  ibv_sge piece(std::size_t offset, std::uint32_t length) const {
    return {reinterpret_cast<std::uint64_t>(memory_.data()) + offset, length, key_};
  }

  int post_receive(std::size_t offset, std::uint32_t length, std::uint64_t wr_id) {
    ibv_sge sge = piece(offset, length);
    ibv_recv_wr request{};
    request.wr_id = wr_id;
    request.sg_list = &sge;
    request.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    return ibv_post_recv(qp_, &request, &bad);
  }

  int send(std::uint32_t to, std::uint32_t length, std::uint64_t wr_id) {
    ibv_sge sge = piece(0, length);
    ibv_send_wr request{};
    request.wr_id = wr_id;
    request.opcode = IBV_WR_SEND;
    request.sg_list = &sge;
    request.num_sge = 1;
    request.wr.ud = {handle_.get(), to, kKey};
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp_, &request, &bad);
  }

  // What a peer needs to get at the memory.
  struct Remote {
    std::uint32_t number;
    std::uint32_t key;
    std::uint64_t address;
  };
  Remote remote() const { return {number(), key_, piece(0, 0).addr}; }

  using Open = void (*)(ibv_qp_ex*, std::uint32_t, std::uint64_t);
  int rdma(Open open, const Remote& to, std::uint32_t length, std::uint64_t wr_id) {
    ibv_qp_ex* qp = ibv_qp_to_qp_ex(qp_);
    const ibv_sge local = piece(0, length);
    ibv_wr_start(qp);
    qp->wr_id = wr_id;
    open(qp, to.key, to.address);
    ibv_wr_set_sge_list(qp, 1, &local);
    ibv_wr_set_ud_addr(qp, handle_.get(), to.number, kKey);
    return ibv_wr_complete(qp);
  }

  struct Done {
    std::uint64_t wr_id;
    ibv_wc_status status;
    std::uint32_t vendor_error;
    ibv_wc_opcode opcode;
    std::uint32_t byte_len;
    std::uint32_t source;
  };
  // Polls until there is a completion; one of status IBV_WC_GENERAL_ERR and id ~0 when there is
  // none in time.
  Done wait(std::chrono::milliseconds patience = 20s) {
    const auto end = steady_clock::now() + patience;
    while (steady_clock::now() < end) {
      ibv_poll_cq_attr attributes{};
      if (ibv_start_poll(cq_, &attributes) != 0) continue;
      const Done done{cq_->wr_id,
                      cq_->status,
                      ibv_wc_read_vendor_err(cq_),
                      ibv_wc_read_opcode(cq_),
                      ibv_wc_read_byte_len(cq_),
                      ibv_wc_read_src_qp(cq_)};
      ibv_end_poll(cq_);
      return done;
    }
    return {~std::uint64_t{0}, IBV_WC_GENERAL_ERR, 0, IBV_WC_SEND, 0, 0};
  }
  bool is_idle() { return wait(20ms).wr_id == ~std::uint64_t{0}; }

 private:
  void make_ready(std::uint8_t rnr_retry) {
    ibv_qp_attr attributes{};
    attributes.qkey = kKey;
    attributes.rnr_retry = rnr_retry;
    attributes.qp_state = IBV_QPS_RTS;
    ibv_modify_qp(qp_, &attributes, IBV_QP_STATE | IBV_QP_QKEY | IBV_QP_RNR_RETRY);
  }
  ibv_ah* make_handle() {
    ibv_ah_attr attributes{};
    ibv_query_gid(context_, kPort, 0, &attributes.grh.dgid);
    return ibv_create_ah(domain_, &attributes);
  }

  ibv_context* context_ = ibv_open_device(devices().data());
  ibv_pd* domain_ = ibv_alloc_pd(context_);
  std::vector<std::byte> memory_ = std::vector<std::byte>(kBytes);
  ibv_mr* region_ = ibv_reg_mr_iova2(domain_, memory_.data(), memory_.size(),
                                     reinterpret_cast<std::uint64_t>(memory_.data()), kRights);
  std::unique_ptr<ibv_ah, decltype(&ibv_destroy_ah)> handle_{make_handle(), &ibv_destroy_ah};
  std::uint32_t key_ = region_->lkey;
  ibv_cq_ex* cq_ = nullptr;
  ibv_qp* qp_ = nullptr;
};

class SoftEfa : public testing::Test {
 protected:
  void SetUp() override { settings() = Settings{}; }

  void fill(std::vector<std::byte>& memory) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
};

TEST_F(SoftEfa, ASendMeetsAReceive) {
  End a;
  End b;
  fill(a.memory());
  ASSERT_EQ(b.post_receive(100, 8000, 5), 0);
  ASSERT_EQ(a.send(b.number(), 7000, 6), 0);
  const End::Done received = b.wait();
  EXPECT_EQ(received.wr_id, 5u);
  EXPECT_EQ(received.status, IBV_WC_SUCCESS);
  EXPECT_EQ(received.opcode, IBV_WC_RECV);
  EXPECT_EQ(received.byte_len, 7000u);
  EXPECT_EQ(received.source, a.number());
  EXPECT_EQ(std::memcmp(b.memory().data() + 100, a.memory().data(), 7000), 0);
  EXPECT_EQ(a.wait().wr_id, 6u);
  EXPECT_TRUE(a.is_idle());
  EXPECT_TRUE(b.is_idle());
}

// Only the sender polls, so what it is told comes from the receiver's own thread.
TEST_F(SoftEfa, TakesAndAnswersWithoutBeingPolled) {
  End a;
  End b;
  fill(a.memory());
  ASSERT_EQ(b.post_receive(0, 64, 1), 0);
  ASSERT_EQ(a.send(b.number(), 64, 2), 0);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b.wait().wr_id, 1u);
  EXPECT_EQ(std::memcmp(b.memory().data(), a.memory().data(), 64), 0);
}

TEST_F(SoftEfa, ReadsAndWritesWhatTheSocketTakesInPieces) {
  End a;
  End b;
  fill(b.memory());
  ASSERT_EQ(a.rdma(ibv_wr_rdma_read, b.remote(), kBytes, 1), 0);
  const End::Done read = a.wait();
  EXPECT_EQ(read.status, IBV_WC_SUCCESS);
  EXPECT_EQ(read.opcode, IBV_WC_SEND);
  EXPECT_EQ(a.memory(), b.memory());
  a.memory().assign(kBytes, std::byte{42});
  ASSERT_EQ(a.rdma(ibv_wr_rdma_write, b.remote(), kBytes, 2), 0);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  EXPECT_EQ(a.memory(), b.memory());
  EXPECT_TRUE(b.is_idle());
}

TEST_F(SoftEfa, MemoryThatIsGoneIsNotTouched) {
  End a;
  End b;
  const End::Remote memory = b.remote();
  ASSERT_EQ(b.post_receive(0, 64, 1), 0);
  ASSERT_EQ(a.rdma(ibv_wr_rdma_read, memory, 64, 2), 0);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  b.deregister();
  ASSERT_EQ(a.rdma(ibv_wr_rdma_read, memory, 64, 3), 0);
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::remote_access));
  ASSERT_EQ(a.send(b.number(), 64, 4), 0);
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::remote_access));
  a.deregister();
  ASSERT_EQ(a.send(b.number(), 64, 5), 0);
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::local_key));
}

TEST_F(SoftEfa, NoReceiveNoMessage) {
  End a(1);
  End b;
  ASSERT_EQ(a.send(b.number(), 8, 1), 0);
  const End::Done done = a.wait();
  EXPECT_EQ(done.status, IBV_WC_RNR_RETRY_EXC_ERR);
  EXPECT_EQ(done.vendor_error, static_cast<unsigned>(Status::receiver_not_ready));
}

TEST_F(SoftEfa, ReadsAndWritesNeedNoReceive) {
  settings().not_ready_percent = 100;
  End a(0);
  End b;
  ASSERT_EQ(a.rdma(ibv_wr_rdma_read, b.remote(), 64, 1), 0);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  ASSERT_EQ(a.rdma(ibv_wr_rdma_write, b.remote(), 64, 2), 0);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  ASSERT_EQ(b.post_receive(0, 64, 3), 0);
  ASSERT_EQ(a.send(b.number(), 64, 4), 0);
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::receiver_not_ready));
}

TEST_F(SoftEfa, ASendThatRetriesForEverWaitsForItsReceive) {
  End a;
  End b;
  ASSERT_EQ(a.send(b.number(), 8, 1), 0);
  EXPECT_TRUE(a.is_idle());
  ASSERT_EQ(b.post_receive(0, 8, 2), 0);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  EXPECT_EQ(b.wait().wr_id, 2u);
}

TEST_F(SoftEfa, TooLong) {
  End a;
  End b;
  ASSERT_EQ(a.send(b.number(), settings().mtu_bytes + 1, 1), 0);
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::local_length));
  ASSERT_EQ(b.post_receive(0, 4, 2), 0);
  ASSERT_EQ(a.send(b.number(), 5, 3), 0);
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::remote_length));
}

TEST_F(SoftEfa, AQueuePairThatIsGone) {
  End a;
  End b;
  const std::uint32_t number = b.number();
  b.close();
  ASSERT_EQ(a.send(number, 8, 1), 0);
  const End::Done done = a.wait();
  EXPECT_EQ(done.vendor_error, static_cast<unsigned>(Status::bad_queue_pair));
}

// Nobody answers for it, so the sender must find out.
TEST_F(SoftEfa, AQueuePairThatGoesWhileASendIsUnderWay) {
  settings().script = parse_script("receive:1+:drop");
  End a;
  End b;
  ASSERT_EQ(a.send(b.number(), 8, 1), 0);
  EXPECT_TRUE(a.is_idle());
  b.close();
  EXPECT_EQ(a.wait().vendor_error, static_cast<unsigned>(Status::bad_queue_pair));
}

TEST_F(SoftEfa, ADeafPeerIsUnresponsiveAfterTheTimeout) {
  settings().script = parse_script("receive:1+:drop");
  settings().timeout = 150ms;
  End a;
  End b;
  const auto start = steady_clock::now();
  ASSERT_EQ(a.send(b.number(), 8, 1), 0);
  const End::Done done = a.wait();
  EXPECT_EQ(done.vendor_error, static_cast<unsigned>(Status::unresponsive));
  EXPECT_GE(steady_clock::now() - start, 150ms);
}

TEST_F(SoftEfa, TheScriptChoosesAStatus) {
  settings().script = parse_script("send:1+:status:13");
  End a;
  End b;
  ASSERT_EQ(a.send(b.number(), 8, 1), 0);
  EXPECT_EQ(a.wait().vendor_error, 13u);
}

TEST_F(SoftEfa, AFullSendQueueRefusesUntilACompletionIsPolled) {
  settings().answer_delay = 5ms;
  End a;
  End b;
  for (std::uint64_t i = 0; i < 16; ++i) ASSERT_EQ(b.post_receive(0, 8, i), 0);
  EXPECT_EQ(b.post_receive(0, 8, 16), ENOMEM);
  for (std::uint64_t i = 0; i < 16; ++i) ASSERT_EQ(a.send(b.number(), 8, i), 0);
  EXPECT_EQ(a.send(b.number(), 8, 16), ENOMEM);
  EXPECT_EQ(a.wait().status, IBV_WC_SUCCESS);
  EXPECT_EQ(a.send(b.number(), 8, 16), 0);
}

TEST_F(SoftEfa, ReorderedMessagesArriveAllAndOnce) {
  settings().reorder_percent = 50;
  End a;
  End b;
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t i = 1; i <= 16; ++i) ASSERT_EQ(b.post_receive(0, 64, i), 0);
  for (std::uint32_t i = 1; i <= 16; ++i) ASSERT_EQ(a.send(b.number(), i, i), 0);
  for (int i = 0; i < 16; ++i) lengths.push_back(b.wait().byte_len);
  EXPECT_FALSE(std::ranges::is_sorted(lengths));
  std::ranges::sort(lengths);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(lengths[i], i + 1);
  EXPECT_TRUE(b.is_idle());
}

TEST_F(SoftEfa, ADeviceIsListedByName) {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  ASSERT_EQ(count, 1);
  EXPECT_EQ(list[1], nullptr);
  EXPECT_STREQ(ibv_get_device_name(list[0]), "rdmap0s0");
  ibv_free_device_list(list);
}

}  // namespace
}  // namespace pairbench::soft_efa
