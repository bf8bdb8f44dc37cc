// The floor: what libfabric itself takes, in a loop that shares no line with the suite.
//
//   bare_libfabric PROVIDER[/DOMAIN] SIZE ITERATIONS [--window N] [--cpus A,B] [--completion yield]
//
// Two processes on this host play ping-pong, or stream one way with N messages outstanding, and one
// JSON line says how fast. Only what least overhead asks for: no tags, no order, no data in
// completions, no locks (FI_THREAD_DOMAIN), inject where it is allowed, hot buffers.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "bare_libfabric/end.h"

using namespace bare;

namespace {

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
  if (name == "--completion") return options.yield = std::strcmp(value, "yield") == 0;
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
        "         [--completion yield]\n"
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
