#include "harness/inproc_peer.h"

#include <exception>
#include <utility>

#include "control/inproc_channel.h"
#include "control/quiet_thread.h"
#include "harness/responder.h"

namespace pairbench {

InprocPeer::InprocPeer() {
  auto [initiator_end, responder_end] =
      make_inproc_channels("the initiator's thread", "the responder's thread");
  initiator_end_ = std::move(initiator_end);
  // Beside it other transports may be measured, whose system calls it is not to slow down.
  thread_ =
      start_quiet_thread([channel = std::move(responder_end)](const std::stop_token&) mutable {
        try {
          respond(*channel, {});
        } catch (const std::exception&) {
          // respond() has told the initiator, which reports it.
        }
        channel.reset();
      });
}

}  // namespace pairbench
