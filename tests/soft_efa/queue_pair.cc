#include "soft_efa/queue_pair.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "soft_efa/counters.h"

namespace pairbench::soft_efa {
namespace {

using namespace std::chrono_literals;

constexpr int kPacketsAtOnce = 64;
// While the application has polled within this time it is left alone.
constexpr auto kPolledLately = 2ms;
constexpr auto kNapWhilePolled = 1ms;
constexpr auto kNapWhilePending = 200us;
constexpr auto kNapWhileIdle = 50ms;
constexpr auto kFarewell = 200ms;

std::size_t at_least_one(std::uint32_t depth) {
  return depth == 0 ? 1 : depth;
}

void require(bool condition) {
  if (!condition) throw std::system_error(EINVAL, std::generic_category());
}

const ibv_qp_init_attr_ex& checked(const ibv_qp_init_attr_ex& attributes) {
  require(attributes.send_cq != nullptr && attributes.recv_cq != nullptr);
  require(attributes.cap.max_send_wr <= settings().send_queue);
  require(attributes.cap.max_recv_wr <= settings().receive_queue);
  require(attributes.cap.max_inline_data <= settings().inline_bytes);
  return attributes;
}

// A thread that takes none of the process's signals.
template <class Body>
std::thread quiet_thread(Body body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(body);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

QueuePair::QueuePair(ibv_context* opened, const ibv_qp_init_attr_ex& attributes)
    : ibv_qp_ex{},
      port_(Device::of(opened).gid),
      send_completions_(CompletionQueue::of(checked(attributes).send_cq)),
      receive_completions_(CompletionQueue::of(attributes.recv_cq)),
      requester_(port_, send_completions_, *this, at_least_one(attributes.cap.max_send_wr)),
      responder_(port_, receive_completions_, *this, at_least_one(attributes.cap.max_recv_wr),
                 attributes.qp_type == IBV_QPT_UD),
      wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  qp_base.context = opened;
  qp_base.qp_context = attributes.qp_context;
  qp_base.pd = attributes.pd;
  qp_base.send_cq = attributes.send_cq;
  qp_base.recv_cq = attributes.recv_cq;
  qp_base.qp_num = qp_base.handle = port_.address().queue_pair;
  qp_base.state = IBV_QPS_RESET;
  qp_base.qp_type = attributes.qp_type;
  pthread_mutex_init(&qp_base.mutex, nullptr);
  pthread_cond_init(&qp_base.cond, nullptr);
  batch_.requests.reserve(at_least_one(attributes.cap.max_send_wr));
  fill_in_work_requests(*this);
  thread_ = quiet_thread([this] { serve(); });
  send_completions_.attach(*this);
  receive_completions_.attach(*this);
  count(Counter::queue_pairs);
}

QueuePair::~QueuePair() {
  closing_ = true;
  eventfd_write(wake_up_.get(), 1);
  thread_.join();
  send_completions_.detach(*this);
  receive_completions_.detach(*this);
  say_farewell();
}

void QueuePair::modify(const ibv_qp_attr& attributes, int mask) {
  const std::lock_guard lock(mutex_);
  if ((mask & IBV_QP_STATE) != 0) {
    qp_base.state = attributes.qp_state;
    responder_.is_ready = attributes.qp_state == IBV_QPS_RTR || attributes.qp_state == IBV_QPS_RTS;
  }
  if ((mask & IBV_QP_QKEY) != 0) responder_.queue_key = attributes.qkey;
  if ((mask & IBV_QP_RNR_RETRY) != 0) requester_.not_ready_retries = attributes.rnr_retry;
}

void QueuePair::try_progress() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) progress(std::chrono::steady_clock::now());
}

void QueuePair::release(int request) {
  const std::lock_guard lock(mutex_);
  requester_.release(request);
}

void QueuePair::progress(Time now) {
  for (int i = 0; i < kPacketsAtOnce; ++i) {
    const auto packet = port_.receive();
    if (!packet) break;
    dispatch(*packet);
  }
  responder_.progress(now);
  requester_.progress(now);
}

void QueuePair::dispatch(const Port::Packet& packet) {
  switch (packet.header.kind) {
    case PacketKind::answer:
      return requester_.on_answer(packet.header);
    case PacketKind::read_response:
      return requester_.on_read_response(packet);
    default:
      return responder_.on_request(packet);
  }
}

// The device's own progress.
void QueuePair::serve() {
  while (!closing_) {
    const Time now = std::chrono::steady_clock::now();
    const bool polled = send_completions_.polled_since(now - kPolledLately) ||
                        receive_completions_.polled_since(now - kPolledLately);
    bool pending = false;
    if (!polled) {
      const std::lock_guard lock(mutex_);
      progress(now);
      pending = responder_.is_pending() || requester_.is_pending();
    }
    wait(polled, pending);
  }
}

void QueuePair::wait(bool polled, bool pending) {
  // Packets wake it, unless they are the application's to fetch.
  std::array<pollfd, 2> events{pollfd{wake_up_.get(), POLLIN, 0},
                               pollfd{port_.descriptor(), POLLIN, 0}};
  const auto nap = polled    ? std::chrono::nanoseconds(kNapWhilePolled)
                   : pending ? std::chrono::nanoseconds(kNapWhilePending)
                             : std::chrono::nanoseconds(kNapWhileIdle);
  const timespec time{0, nap.count()};
  ppoll(events.data(), polled ? 1 : 2, &time, nullptr);
}

void QueuePair::say_farewell() {
  const std::lock_guard lock(mutex_);
  const Time end = std::chrono::steady_clock::now() + kFarewell;
  for (Time now = end - kFarewell; responder_.is_pending() && now < end;
       now = std::chrono::steady_clock::now()) {
    responder_.progress(Time::max());
    std::this_thread::yield();
  }
}

}  // namespace pairbench::soft_efa
