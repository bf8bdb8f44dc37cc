// The one way out for what libfabric reports as failed: decoded, with what to try. Cold: nothing
// here is reached by a healthy run.
#pragma once

#include <rdma/fi_eq.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pairbench::libfabric {

// "Connection refused (-111)"; takes the negative numbers that libfabric returns.
std::string error_text(ssize_t rc);

// A set-up call failed: Error(no_device, device) when opening fabric or domain, else Error(failed,
// open).
[[noreturn, gnu::cold]] void throw_call(std::string_view call, ssize_t rc,
                                        const std::string& transport, Phase phase = Phase::open);

// A post was refused for good. Error(peer or failed, measure).
[[noreturn, gnu::cold]] void throw_post(std::string_view operation, ssize_t rc,
                                        const std::string& transport);

// What a completion queue's error entry means. Pure. `provider_text` is fi_cq_strerror's;
// `receive_size` that of the last receive posted, for a truncated one.
Failure completion_failure(const fi_cq_err_entry& entry, std::string_view provider_text,
                           const std::string& transport, std::size_t receive_size);

// Reads the error entry behind -FI_EAVAIL (or decodes another failure of fi_cq_read) and throws
// Error(peer or failed, measure).
[[noreturn, gnu::cold]] void throw_completion(fid_cq* queue, ssize_t rc,
                                              const std::string& transport,
                                              std::size_t receive_size);

}  // namespace pairbench::libfabric
