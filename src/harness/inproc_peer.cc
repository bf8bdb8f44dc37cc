#include "harness/inproc_peer.h"

#include <exception>
#include <utility>

#include "control/inproc_channel.h"
#include "harness/responder.h"

namespace pairbench {

InprocPeer::InprocPeer() {
  auto [initiator_end, responder_end] =
      make_inproc_channels("the initiator's thread", "the responder's thread");
  initiator_end_ = std::move(initiator_end);
  thread_ = std::jthread([channel = std::move(responder_end)]() mutable {
    try {
      respond(*channel, {});
    } catch (const std::exception&) {
      // respond() has told the initiator, which reports it.
    }
    channel.reset();
  });
}

}  // namespace pairbench
