// libibverbs' failures as sentences with a cause and a remedy.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pairbench::verbs {

// A call of set-up that failed with `error` (an errno). Throws Error(failed, open), with a remedy
// where a limit of this host is the likely cause.
[[noreturn]] void throw_call(std::string_view call, int error, const std::string& transport);

// A post that the device refused for another reason than a full queue.
[[noreturn, gnu::cold]] void throw_post(std::string_view operation, int error,
                                        const std::string& transport);

// What a completion with an error means. Pure. Of such a completion nothing but wr_id, status and
// vendor_err is valid, so the caller says which operation it was.
Failure completion_failure(ibv_wc_status status, std::uint32_t vendor_error, bool is_send,
                           const std::string& transport);

[[noreturn, gnu::cold]] void throw_completion(const ibv_wc& completion, bool is_send,
                                              const std::string& transport);

}  // namespace pairbench::verbs
