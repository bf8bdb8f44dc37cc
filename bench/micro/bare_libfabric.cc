// The floor: what libfabric itself takes, in a loop that shares no line with the suite.
//
//   bare_libfabric PROVIDER[/DOMAIN] SIZE ITERATIONS [--window N] [--cpus A,B]
//
// Two processes on this host play ping-pong, or stream one way with N messages outstanding, and one
// JSON line says how fast. Only what least overhead asks for: no tags, no order, no data in
// completions, no locks (FI_THREAD_DOMAIN), inject where it is allowed, hot buffers.
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr double kDeadlineNs = 10e9;       // of every wait: so long without progress is an error
constexpr std::size_t kPingpongDepth = 4;  // receives posted: two would do; few stay in the cache
constexpr std::size_t kStreamDepth = 512;  // or the window, where that is more
constexpr std::size_t kCreditBytes = 8;
constexpr std::size_t kPage = 4096;

struct Options {
  std::string provider, domain;
  std::size_t size = 0, iterations = 0, window = 0;
  std::array<int, 2> cpus{-1, -1};

  std::size_t warmup() const { return std::max<std::size_t>(1000, iterations / 10); }
  std::size_t depth() const { return window ? std::max(kStreamDepth, window) : kPingpongDepth; }
};

struct Gone {};  // the other process has ended, and said why

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

void check(ssize_t rc, const char* call) {
  if (rc != 0) [[unlikely]]
    fail(std::string(call) + ": " + fi_strerror(static_cast<int>(-rc)));
}

double raw_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

std::uint64_t stamp() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks = 0;
  asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
#else
  return static_cast<std::uint64_t>(raw_ns());
#endif
}

// Contexts, which belong to the provider while an operation is under way.
class Contexts {
 public:
  explicit Contexts(std::size_t count) : all_(count), free_(count), left_(count) {
    for (std::size_t i = 0; i < count; ++i) free_[i] = &all_[i];
  }
  std::size_t size() const { return all_.size(); }
  std::size_t under_way() const { return all_.size() - left_; }
  bool any() const { return left_ > 0; }
  bool owns(const void* context) const {
    return context >= all_.data() && context < all_.data() + all_.size();
  }
  void* next() const { return free_[left_ - 1]; }
  void take() { --left_; }
  void put(void* context) { free_[left_++] = static_cast<fi_context2*>(context); }

 private:
  std::vector<fi_context2> all_;
  std::vector<fi_context2*> free_;
  std::size_t left_;
};

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

Info find(const Options& options) {
  const Info hints(fi_allocinfo());
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->fabric_attr->prov_name = strdup(options.provider.c_str());
  fi_info* list = nullptr;
  check(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &list), "fi_getinfo");
  const Info owner(list);
  for (; list != nullptr; list = list->next)
    if (options.domain.empty() || options.domain == list->domain_attr->name)
      return Info(fi_dupinfo(list));
  fail(options.provider + " has no domain " + options.domain);
}

// Opened from top to bottom, closed the other way.
struct Objects {
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_mr* memory = nullptr;
  fid_cq* queue = nullptr;
  fid_av* addresses = nullptr;
  fid_ep* endpoint = nullptr;

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    const auto close = [](auto* object) {
      if (object != nullptr) fi_close(&object->fid);
    };
    close(endpoint), close(addresses), close(queue), close(memory), close(domain), close(fabric);
  }
};

// One of the two processes.
class End {
 public:
  End(const Options& options, int socket)
      : socket_(socket),
        size_(options.size),
        info_(find(options)),
        bytes_((std::max(options.size, kCreditBytes) + kPage - 1) / kPage * kPage),
        buffer_(static_cast<char*>(std::aligned_alloc(kPage, 2 * bytes_)), &std::free),
        sends_(std::max(options.window, kPingpongDepth)),
        receives_(std::min(info_->rx_attr->size, options.depth())),
        inject_(info_->tx_attr->inject_size) {
    if (!buffer_) fail("no memory");
    std::memset(buffer_.get(), 1, 2 * bytes_);
    open();
    refill();
    exchange_addresses();
    meet();
  }

  const fi_info& info() const { return *info_; }

  // Datagrams between the two processes, beside the fabric; making progress while waiting.
  void tell(const void* data, std::size_t size) const {
    if (::send(socket_, data, size, MSG_NOSIGNAL) < 0) throw Gone();
  }
  void hear(void* data, std::size_t size) {
    ssize_t got = 0;
    await([&] { return (got = ::recv(socket_, data, size, MSG_DONTWAIT)) >= 0; });
    if (got == 0) throw Gone();
  }
  void meet() {
    char byte = 0;
    tell(&byte, 1);
    hear(&byte, 1);
  }

  // `after_each` round trip.
  template <class Function>
  void initiate(std::size_t count, const Function& after_each) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = received_;
      send(size_);
      refill();  // while the message is on its way
      await_more_than(before);
      after_each();
    }
    drain();
  }

  void respond(std::size_t count) {
    const std::size_t start = received_;
    for (std::size_t i = 0; i < count; ++i) {
      await_more_than(start + i);
      send(size_);
      refill();
    }
    drain();
  }

  // All receives of the receiver are posted at the start; each message back grants some anew.
  void stream(std::size_t count, std::size_t window) {
    const std::size_t start = received_;
    const auto granted = [&] { return receives_.size() + (received_ - start) * credit_; };
    for (std::size_t i = 0; i < count; ++i) {
      await([&] { return sends_.under_way() < window && i < granted(); });
      send_with_completion(size_);
      refill();
    }
    await([&] { return received_ - start == count / credit_; });
    drain();
  }

  // Messages and nanoseconds from the first receive to the last.
  std::array<double, 2> absorb(std::size_t count) {
    std::size_t granted = received_;
    const std::size_t target = granted + count;
    await_more_than(received_);
    const std::size_t first = received_;
    const double start = raw_ns();
    double end = start;
    while (true) {
      refill();
      for (; received_ - granted >= credit_; granted += credit_) send(kCreditBytes);
      if (received_ == target) break;
      await_more_than(received_);
      if (received_ == target) end = raw_ns();
    }
    drain();
    return {static_cast<double>(target - first), end - start};
  }

 private:
  void open() {
    check(fi_fabric(info_->fabric_attr, &to_.fabric, nullptr), "fi_fabric");
    check(fi_domain(to_.fabric, info_.get(), &to_.domain, nullptr), "fi_domain");
    if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
      check(fi_mr_reg(to_.domain, buffer_.get(), 2 * bytes_, FI_SEND | FI_RECV, 0, 1, 0,
                      &to_.memory, nullptr),
            "fi_mr_reg");
      descriptor_ = fi_mr_desc(to_.memory);
    }
    fi_cq_attr queue{};
    queue.size = sends_.size() + receives_.size();
    queue.format = FI_CQ_FORMAT_CONTEXT;
    queue.wait_obj = FI_WAIT_NONE;
    check(fi_cq_open(to_.domain, &queue, &to_.queue, nullptr), "fi_cq_open");
    fi_av_attr addresses{};
    addresses.type = FI_AV_TABLE;
    addresses.count = 1;
    check(fi_av_open(to_.domain, &addresses, &to_.addresses, nullptr), "fi_av_open");
    check(fi_endpoint(to_.domain, info_.get(), &to_.endpoint, nullptr), "fi_endpoint");
    check(fi_ep_bind(to_.endpoint, &to_.queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_ep_bind(to_.endpoint, &to_.addresses->fid, 0), "fi_ep_bind");
    check(fi_enable(to_.endpoint), "fi_enable");
  }

  void exchange_addresses() {
    std::array<char, 1024> address{};
    std::size_t length = address.size();
    check(fi_getname(&to_.endpoint->fid, address.data(), &length), "fi_getname");
    tell(address.data(), length);
    hear(address.data(), address.size());
    if (fi_av_insert(to_.addresses, address.data(), 1, &peer_, 0, nullptr) != 1)
      fail("fi_av_insert: the other process's address is refused");
  }

  static bool accepted(ssize_t rc, const char* call) {
    if (rc == -FI_EAGAIN) return false;
    check(rc, call);
    return true;
  }
  void send(std::size_t size) {
    if (size > inject_) return send_with_completion(size);
    const auto post = [&] { return fi_inject(to_.endpoint, buffer_.get(), size, peer_); };
    await([&] { return accepted(post(), "fi_inject"); });
  }
  void send_with_completion(std::size_t size) {
    const auto post = [&] {
      return fi_send(to_.endpoint, buffer_.get(), size, descriptor_, peer_, sends_.next());
    };
    await([&] { return sends_.any() && accepted(post(), "fi_send"); });
    sends_.take();
  }
  void refill() {
    const auto post = [&] {
      return fi_recv(to_.endpoint, buffer_.get() + bytes_, bytes_, descriptor_, FI_ADDR_UNSPEC,
                     receives_.next());
    };
    for (; receives_.any(); receives_.take()) await([&] { return accepted(post(), "fi_recv"); });
  }
  void drain() {
    await([&] { return sends_.under_way() == 0; });
    refill();
  }
  void await_more_than(std::size_t count) {
    await([&] { return received_ > count; });
  }

  // Polls until `done`; now and then an empty poll looks around.
  template <class Done>
  void await(const Done& done) {
    constexpr std::uint32_t kOften = 1 << 12;
    double quiet_since = 0;
    std::uint32_t empty = 0;
    while (!done()) {
      if (poll())
        quiet_since = 0;
      else if (++empty % kOften == 0)
        look_around(quiet_since);
    }
  }

  bool poll() {
    std::array<fi_cq_entry, 16> entries;
    const ssize_t count = fi_cq_read(to_.queue, entries.data(), entries.size());
    if (count <= 0) {
      if (count != -FI_EAGAIN && count != 0) fail_completion(count);
      return false;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const bool is_receive = receives_.owns(entries[i].op_context);
      (is_receive ? receives_ : sends_).put(entries[i].op_context);
      received_ += is_receive;
    }
    return true;
  }

  [[noreturn, gnu::cold]] void fail_completion(ssize_t rc) {
    fi_cq_err_entry error{};
    if (rc == -FI_EAVAIL && fi_cq_readerr(to_.queue, &error, 0) == 1) rc = -error.err;
    fail(std::string("completion: ") + fi_strerror(static_cast<int>(-rc)));
  }

  [[gnu::cold]] void look_around(double& quiet_since) const {
    const double now = raw_ns();
    if (quiet_since == 0) quiet_since = now;
    if (now - quiet_since > kDeadlineNs) fail("nothing moved for 10 s");
    char byte = 0;
    if (::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) throw Gone();
  }

  int socket_;
  std::size_t size_;
  Info info_;
  std::size_t bytes_;
  std::unique_ptr<char, decltype(&std::free)> buffer_;  // sent half, never written; received half
  Contexts sends_;
  Contexts receives_;
  std::size_t inject_;
  std::size_t credit_ = std::max<std::size_t>(1, receives_.size() / 4);
  std::size_t received_ = 0;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  void* descriptor_ = nullptr;
  Objects to_;  // closed first
};

void print_head(const End& end, const Options& options) {
  std::printf("{\"provider\": \"%s\", \"opened\": \"%s/%s\", \"size\": %zu, \"iterations\": %zu",
              options.provider.c_str(), end.info().fabric_attr->prov_name,
              end.info().domain_attr->name, options.size, options.iterations);
}

// Three passes: warm-up, a stamp per round trip, and none but at the ends. The second one
// calibrates its stamps as well.
void pingpong(End& end, const Options& options) {
  const std::size_t n = options.iterations;
  const auto count = static_cast<double>(n);
  std::vector<std::uint64_t> stamps(n + 1, 1);  // touched
  std::uint64_t* next = stamps.data();
  end.initiate(options.warmup(), [] {});
  end.meet();
  const double start = raw_ns();
  *next++ = stamp();
  end.initiate(n, [&] { *next++ = stamp(); });
  const double scale = (raw_ns() - start) / static_cast<double>(stamp() - stamps[0]);
  end.meet();
  const double batch_start = raw_ns();
  end.initiate(n, [] {});
  const double batch_ns = raw_ns() - batch_start;
  end.meet();

  const double mean = static_cast<double>(stamps[n] - stamps[0]) * scale / count;
  for (std::size_t i = 0; i < n; ++i) stamps[i] = stamps[i + 1] - stamps[i];
  const auto median = stamps.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2);
  std::nth_element(stamps.begin(), median, stamps.end() - 1);
  print_head(end, options);
  std::printf(", \"p50_ns\": %.1f, \"mean_ns\": %.1f, \"batch_mean_ns\": %.1f}\n",
              static_cast<double>(*median) * scale, mean, batch_ns / count);
}

void echo(End& end, const Options& options) {
  for (const std::size_t count : {options.warmup(), options.iterations, options.iterations}) {
    end.respond(count);
    end.meet();
  }
}

void send_stream(End& end, const Options& options) {
  for (const std::size_t count : {options.warmup(), options.iterations}) {
    end.stream(count, options.window);
    end.meet();
  }
  std::array<double, 2> result{};
  end.hear(result.data(), sizeof result);
  const double per_second = result[0] / result[1] * 1e9;
  print_head(end, options);
  std::printf(", \"window\": %zu, \"bytes_per_second\": %.0f, \"messages_per_second\": %.0f}\n",
              options.window, per_second * static_cast<double>(options.size), per_second);
}

void receive_stream(End& end, const Options& options) {
  std::array<double, 2> result{};
  for (const std::size_t count : {options.warmup(), options.iterations}) {
    result = end.absorb(count);
    end.meet();
  }
  end.tell(result.data(), sizeof result);
}

void pin(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("cannot run on CPU " + std::to_string(cpu));
}

// The process that begins and prints, or the other.
int run(const Options& options, int socket, bool begins) {
  try {
    pin(options.cpus[begins ? 0 : 1]);
    End end(options, socket);
    if (options.window > 0)
      begins ? send_stream(end, options) : receive_stream(end, options);
    else
      begins ? pingpong(end, options) : echo(end, options);
    return 0;
  } catch (const Gone&) {
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bare_libfabric: %s\n", error.what());
    return 1;
  }
}

// The exit status of the child, which sees that its socket has closed, and ends.
int status_of(pid_t child) {
  int status = 0;
  alarm(static_cast<unsigned>(kDeadlineNs / 1e9));
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::fprintf(stderr, "bare_libfabric: signal %d ended the second process\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool parse_number(const char* text, std::size_t& number) {
  char* end = nullptr;
  number = std::strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0;
}

bool parse_option(const std::string& name, const char* value, Options& options) {
  if (name == "--window") return parse_number(value, options.window);
  return name == "--cpus" && std::sscanf(value, "%d,%d", &options.cpus[0], &options.cpus[1]) == 2;
}

bool parse(int count, char** words, Options& options) {
  if (count < 4 || count % 2 != 0) return false;
  const std::string provider = words[1];
  options.provider = provider.substr(0, provider.find('/'));
  if (options.provider != provider) options.domain = provider.substr(provider.find('/') + 1);
  bool fine = parse_number(words[2], options.size) && parse_number(words[3], options.iterations);
  for (int i = 4; i < count; i += 2) fine = fine && parse_option(words[i], words[i + 1], options);
  return fine && options.iterations >= 100;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  if (!parse(count, words, options)) {
    std::fputs(
        "usage: bare_libfabric PROVIDER[/DOMAIN] SIZE ITERATIONS [--window N] [--cpus A,B]\n"
        "ITERATIONS is 100 or more\n",
        stderr);
    return 2;
  }
  setenv("FI_EFA_ENABLE_SHM_TRANSFER", "0", 0);  // EFA, and not shared memory, on one host too
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets.data()) != 0) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  close(sockets[child == 0 ? 0 : 1]);
  const int own = sockets[child == 0 ? 1 : 0];
  const int status = run(options, own, child != 0);
  close(own);
  if (child == 0) return status;
  const int childs = status_of(child);
  return status != 0 ? status : childs;
}
