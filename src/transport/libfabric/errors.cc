#include "transport/libfabric/errors.h"

#include <fmt/format.h>
#include <rdma/fi_errno.h>

#include <array>
#include <cstdlib>

#include "base/resource_limits.h"

namespace pairbench::libfabric {
namespace {

struct Meaning {
  int number;
  std::string_view cause;
  std::string_view hint;
};

// Completion statuses of the EFA device, as its provider hands them on in prov_errno.
constexpr std::array kEfaStatuses{
    Meaning{7, "the peer's memory key is not valid",
            "the peer's region is closed or not for remote use"},
    Meaning{9, "the peer's queue pair is gone", "the peer's process or endpoint has ended"},
    Meaning{10, "the peer had no receive posted (receiver not ready)",
            "look at the peer's process"},
    Meaning{11, "the message was longer than its receive", "both sides must use the same sizes"},
    Meaning{
        13, "the peer does not respond",
        "the security group must allow all traffic to and from itself, both directions; else the "
        "peer's process may be stopped, or its host overloaded"},
    Meaning{14, "the peer does not know this host's address",
            "the peer must insert the address first"},
    Meaning{15, "the peer is unreachable",
            "the security group must allow all traffic to and from itself, both directions"},
};

bool uses_provider(const std::string& transport, std::string_view provider) {
  return transport.find(provider) != std::string::npos;
}

const Meaning* efa_meaning(const std::string& transport, int prov_errno) {
  if (!uses_provider(transport, ":efa")) return nullptr;
  for (const Meaning& meaning : kEfaStatuses)
    if (meaning.number == std::abs(prov_errno)) return &meaning;
  return nullptr;
}

std::string hint_of(int error, const std::string& transport) {
  switch (error) {
    case FI_ECONNREFUSED:
    case FI_ECONNRESET:
    case FI_ENOTCONN:
    case FI_ECONNABORTED:
    case FI_ESHUTDOWN:
      return "the peer's process or endpoint has ended, or a firewall is between";
    case FI_EHOSTUNREACH:
    case FI_ENETUNREACH:
    case FI_ETIMEDOUT:
      return "there is no way to the peer's address: look at routes, firewalls and security groups";
    case FI_EIO:
    case FI_EPERM:
    case FI_EACCES:
      if (uses_provider(transport, ":shm"))
        return "above 4 KiB shm reads the peer's memory, which needs ptrace permission: the same "
               "user, "
               "kernel.yama.ptrace_scope=0, or FI_SHM_DISABLE_CMA=1 to copy instead";
      return {};
    default:
      return limit_hint(error);
  }
}

// Errors that tell of the other side or of the way to it.
bool is_peer_error(int error) {
  switch (error) {
    case FI_ECONNREFUSED:
    case FI_ECONNRESET:
    case FI_ECONNABORTED:
    case FI_ENOTCONN:
    case FI_ESHUTDOWN:
    case FI_EHOSTUNREACH:
    case FI_ENETUNREACH:
    case FI_ETIMEDOUT:
    case FI_EIO:
    case FI_ENOENT:
      return true;
    default:
      return false;
  }
}

ExitStatus status_of(int error) {
  return is_peer_error(error) ? ExitStatus::peer : ExitStatus::failed;
}

std::string_view operation_of(std::uint64_t flags) {
  return (flags & FI_RECV) != 0 ? "receive" : "send";
}

}  // namespace

std::string error_text(ssize_t rc) {
  const int error = static_cast<int>(std::abs(rc));
  return fmt::format("{} ({})", fi_strerror(error), -error);
}

void throw_call(std::string_view call, ssize_t rc, const std::string& transport, Phase phase) {
  const int error = static_cast<int>(std::abs(rc));
  throw Error(phase == Phase::device ? ExitStatus::no_device : ExitStatus::failed, phase,
              fmt::format("cannot open {}", transport), fmt::format("{}: {}", call, error_text(rc)),
              hint_of(error, transport));
}

void throw_post(std::string_view operation, ssize_t rc, const std::string& transport) {
  const int error = static_cast<int>(std::abs(rc));
  throw Error(status_of(error), Phase::measure,
              fmt::format("cannot post a {} on {}", operation, transport), error_text(rc),
              hint_of(error, transport));
}

Failure completion_failure(const fi_cq_err_entry& entry, std::string_view provider_text,
                           const std::string& transport, std::size_t receive_size) {
  const int error = std::abs(entry.err);  // shm 1.17 writes it negative
  Failure failure;
  failure.phase = Phase::measure;
  failure.status = status_of(error);
  failure.message = fmt::format("a {} failed on {}", operation_of(entry.flags), transport);
  failure.hint = hint_of(error, transport);
  if (error == FI_ETRUNC) {
    failure.message = entry.olen > 0
                          ? fmt::format("a message of {} bytes met a receive of {} bytes on {}",
                                        receive_size + entry.olen, receive_size, transport)
                          : fmt::format("a message was longer than its receive of {} bytes on {}",
                                        receive_size, transport);
    failure.hint = "both sides must use the same sizes";
  }
  failure.cause = fmt::format("{}; provider error {}", error_text(error), entry.prov_errno);
  if (!provider_text.empty() && !provider_text.starts_with("Unknown error"))
    failure.cause += fmt::format(": {}", provider_text);
  if (const Meaning* meaning = efa_meaning(transport, entry.prov_errno)) {
    failure.status = ExitStatus::peer;
    failure.cause = fmt::format("provider error {}: {}", entry.prov_errno, meaning->cause);
    failure.hint = meaning->hint;
  }
  return failure;
}

void throw_completion(fid_cq* queue, ssize_t rc, const std::string& transport,
                      std::size_t receive_size) {
  fi_cq_err_entry entry{};
  if (rc == -FI_EAVAIL && fi_cq_readerr(queue, &entry, 0) == 1) {
    std::array<char, 256> buffer{};
    const char* text =
        fi_cq_strerror(queue, entry.prov_errno, entry.err_data, buffer.data(), buffer.size());
    throw Error(completion_failure(entry, text == nullptr ? "" : text, transport, receive_size));
  }
  throw Error(status_of(static_cast<int>(std::abs(rc))), Phase::measure,
              fmt::format("cannot read completions of {}", transport),
              fmt::format("fi_cq_read: {}", error_text(rc)));
}

}  // namespace pairbench::libfabric
