// Completion statuses of an EFA device, as they travel in the vendor's error field.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

namespace pairbench::soft_efa {

// Numbers: the EFA device's interface (efa_io_comp_status), which libfabric passes on in
// prov_errno.
enum class Status : std::uint8_t {
  ok = 0,
  flushed = 1,
  local_operation = 3,
  local_key = 5,
  local_length = 6,
  remote_access = 7,
  bad_queue_pair = 9,
  receiver_not_ready = 10,
  remote_length = 11,
  unresponsive = 13,
  // On the wire only: the responder has no room for another read just now.
  try_again = 200,
};

// What ibverbs calls it.
ibv_wc_status verbs_status(Status status);

}  // namespace pairbench::soft_efa
