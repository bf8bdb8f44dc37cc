#include "base/error.h"
#include "harness/interop.h"

namespace pairbench {

void rc_pingpong(const RcPingpongRequest& /*request*/,
                 const std::function<void(const std::string&)>& /*say*/,
                 const std::atomic<bool>& /*stop*/) {
  throw Error(ExitStatus::no_device, Phase::device,
              "interop: this pairbench was built without libibverbs", "",
              "install libibverbs' development package and build again");
}

}  // namespace pairbench
