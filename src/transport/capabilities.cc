#include "transport/capabilities.h"

namespace pairbench {

std::string_view to_string(SendCompletion completion) {
  switch (completion) {
    case SendCompletion::reusable:
      return "reusable";
    case SendCompletion::transmit:
      return "transmit";
    case SendCompletion::delivery:
      return "delivery";
  }
  return "unknown";
}

}  // namespace pairbench
