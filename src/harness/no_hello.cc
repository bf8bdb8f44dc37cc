#include "base/error.h"
#include "harness/hello.h"

namespace pairbench {

void hello(const HelloRequest& /*request*/, const std::function<void(const std::string&)>& /*say*/,
           const std::atomic<bool>& /*stop*/) {
  throw Error(ExitStatus::no_device, Phase::device,
              "hello: this pairbench was built without libfabric", "",
              "install libfabric's development package and build again");
}

}  // namespace pairbench
