#include "transport/verbs/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/resource_limits.h"

namespace pairbench::verbs {
namespace {

struct Meaning {
  ibv_wc_status status;
  ExitStatus exit;
  const char* cause;
  const char* hint;
};

// InfiniBand Architecture Specification vol. 1, 11.6.2, in the words of ibv_poll_cq(3).
constexpr std::array kMeanings = {
    Meaning{
        IBV_WC_RETRY_EXC_ERR, ExitStatus::peer,
        "the peer's adapter acknowledged nothing, however often it was sent again",
        "the peer's host or queue pair is gone, or the GID is not the one that leads to it: name "
        "another with -t verbs:DEVICE/PORT/GID_INDEX (pairbench devices --all lists them)"},
    Meaning{IBV_WC_RNR_RETRY_EXC_ERR, ExitStatus::peer,
            "the peer had no receive posted, however often it was asked",
            "raise --rx-depth; if it persists the peer hangs"},
    Meaning{IBV_WC_LOC_LEN_ERR, ExitStatus::failed, "a message was longer than its receive",
            "both sides must use the same sizes"},
    Meaning{IBV_WC_REM_INV_REQ_ERR, ExitStatus::peer,
            "the peer's adapter refused the request: the message was longer than its receive",
            "both sides must use the same sizes"},
    Meaning{IBV_WC_LOC_QP_OP_ERR, ExitStatus::failed,
            "this host's adapter could not carry it out: most likely its GID or its way to the "
            "peer has gone meanwhile",
            "look at the addresses and routes of its network interface (ip address, pairbench "
            "devices --all), and measure again"},
    Meaning{IBV_WC_LOC_PROT_ERR, ExitStatus::failed, "memory outside of the registered region",
            "this is a fault of pairbench"},
    Meaning{
        IBV_WC_REM_OP_ERR, ExitStatus::peer,
        "the peer's adapter could not carry it out: most likely the message was longer than its "
        "receive",
        "both sides must use the same sizes"},
    Meaning{IBV_WC_WR_FLUSH_ERR, ExitStatus::peer,
            "the queue pair had failed before, so what was posted was flushed", ""},
};

std::string hint_of(int error) {
  switch (error) {
    case ENOMEM:
      return "look at the limit on locked memory: ulimit -l (unlimited is customary for RDMA)";
    case EACCES:
    case EPERM:
      return "this user may not open the device: look at the rights on /dev/infiniband/uverbs*";
    case EINVAL:
      return "a depth or size that the device does not take: smaller --window or --rx-depth";
    default:
      return limit_hint(error);
  }
}

std::string error_text(int error) {
  return fmt::format("{} ({})", std::strerror(error), error);
}

}  // namespace

void throw_call(std::string_view call, int error, const std::string& transport) {
  throw Error(ExitStatus::failed, Phase::open, fmt::format("cannot open {}", transport),
              fmt::format("{}: {}", call, error_text(error)), hint_of(error));
}

void throw_post(std::string_view operation, int error, const std::string& transport) {
  throw Error(ExitStatus::failed, Phase::measure,
              fmt::format("cannot post a {} on {}", operation, transport), error_text(error),
              hint_of(error));
}

Failure completion_failure(ibv_wc_status status, std::uint32_t vendor_error, bool is_send,
                           const std::string& transport) {
  Failure failure;
  failure.status = ExitStatus::failed;
  failure.phase = Phase::measure;
  failure.message = fmt::format("a {} failed on {}", is_send ? "send" : "receive", transport);
  failure.cause =
      fmt::format("completion status {}: {}", static_cast<int>(status), ibv_wc_status_str(status));
  const auto meaning = std::find_if(kMeanings.begin(), kMeanings.end(),
                                    [&](const Meaning& m) { return m.status == status; });
  if (meaning != kMeanings.end()) {
    failure.status = meaning->exit;
    failure.cause += fmt::format("; {}", meaning->cause);
    failure.hint = meaning->hint;
  }
  if (vendor_error != 0) failure.cause += fmt::format("; vendor error {:#x}", vendor_error);
  return failure;
}

void throw_completion(const ibv_wc& completion, bool is_send, const std::string& transport) {
  throw Error(completion_failure(completion.status, completion.vendor_err, is_send, transport));
}

}  // namespace pairbench::verbs
