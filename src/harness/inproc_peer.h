// The peer of in-process transports: a responder on a thread of this process.
#pragma once

#include <memory>
#include <thread>

#include "control/channel.h"

namespace pairbench {

class InprocPeer {
 public:
  InprocPeer();
  // Waits for the thread, which ends with its session. The initiator's channel has to be gone by
  // then.
  ~InprocPeer() = default;

  // Once: the initiator's end.
  std::unique_ptr<Channel> take_channel() { return std::move(initiator_end_); }

 private:
  std::unique_ptr<Channel> initiator_end_;
  std::jthread thread_;
};

}  // namespace pairbench
