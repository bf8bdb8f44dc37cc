// What the device did, for tests to assert: added up over all processes that share a file.
#pragma once

#include <cstdint>

namespace pairbench::soft_efa {

enum class Counter : std::uint8_t {
  queue_pairs,        // created
  requests_sent,      // packets of sends, writes and reads put on the wire, repeats included
  responses_sent,     // packets of data that answer a read
  messages_received,  // sends and immediates that met a receive
  eager,              // of these, by libfabric's header (message_kind.h): a whole message
  medium,             // a part of a message
  long_cts,           // the first part of a message whose rest is sent when asked for
  clears_to_send,     // that asking
  cts_data,           // a part of that rest
  long_read,          // the announcement of a message that the receiver reads
  ends_of_read,       // the receiver's word that it has
  handshakes,         // what the provider can do
  bytes_received,     // their payload, and that of writes and reads
  reads_served,       // of this memory, by a peer's device
  writes_served,      // to this memory
  not_ready,          // answers that no receive was there, by chance or script included
  delayed,            // sends held back to be overtaken
  refused,            // posts that found the send queue full, or were refused by chance
  scripted,           // events that the script struck
  failed,             // completions with another status than 0
  overruns,           // completions or answers that no queue had room for: must stay 0
  kCount
};

// Safe for every thread; neither allocates nor locks after the first call of a process.
void count(Counter counter, std::uint64_t amount = 1);

}  // namespace pairbench::soft_efa
