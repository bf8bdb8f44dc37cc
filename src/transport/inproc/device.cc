#include "transport/inproc/device.h"

namespace pairbench::inproc {

Capabilities Device::capabilities() {
  Capabilities result;
  result.opened = "inproc";
  result.provider = "inproc";
  result.max_tx_depth = std::size_t{1} << 16;
  result.max_rx_depth = std::size_t{1} << 16;
  result.max_inline = kMaxInline;
  result.completions_ordered = true;
  result.immediate = true;
  result.same_host_only = true;
  result.software = true;
  result.send_completion = SendCompletion::reusable;
  return result;
}

}  // namespace pairbench::inproc
