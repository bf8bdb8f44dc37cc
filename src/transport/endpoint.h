// The contract every transport fulfils and every workload uses: post and poll with one peer.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/capabilities.h"
#include "transport/region.h"

namespace pairbench {

// The caller's name for an operation, below 2^63; comes back with its completion (verbs calls it
// wr_id).
using Token = std::uint64_t;

// Whether a send reports its completion. An unsignalled send's slot is free again only when a later
// signalled one completes, where Capabilities::completions_ordered says that this proves anything.
// at_once: where the transport can take the payload within the call (inject), the send is complete
// when it returns; elsewhere the same as yes.
enum class Signal : std::uint8_t { no, yes, at_once };

// busy: the queue is full just now. Poll, then post the same operation again.
// done: accepted at_once, so the memory is the caller's again and no completion follows.
enum class [[nodiscard]] Post : std::uint8_t{accepted, busy, done};

enum class CompletionKind : std::uint8_t {
  send,
  recv,
  recv_imm,  // a receive whose message carried immediate data
};

struct Completion {
  Token token;
  std::uint64_t byte_len;  // payload bytes received; unspecified for sends
  std::uint32_t imm;       // valid for recv_imm
  CompletionKind kind;
};

// An endpoint's address as its transport writes it: opaque, of any length.
using AddressBlob = std::vector<std::byte>;

// What an endpoint is opened with. Depths count operations that may be outstanding at once.
struct EndpointOptions {
  std::size_t tx_depth = 64;
  std::size_t rx_depth = 512;
  std::uint64_t max_message_size = 0;
  // Largest payload sent inline (inject); what the provider offers is an upper bound.
  std::size_t inline_limit = SIZE_MAX;
  PathOptions path = {};
  // Where a provider repeats for ever what finds no receive posted (efa, efa-direct): it is an
  // error soon. Others have their own rule.
  bool report_not_ready = false;
};

// An endpoint that can be waited on without spinning (Capabilities::event_wait). To be called after
// an empty poll, again and again: the first call arms, so that the next poll sees what came
// meanwhile; the second sleeps until there may be a completion, or for `longest`.
template <class E>
concept SleepingEndpoint = requires(E& endpoint, std::chrono::milliseconds longest) {
  { endpoint.sleep(longest) } -> std::same_as<void>;
};

// One peer, one thread. Posts and polls never block, never allocate and never throw for a full
// queue (that is Post::busy); any other failure throws Error(peer or failed, measure) with the
// decoded cause. Posted memory belongs to the endpoint until its completion was polled (unsignalled
// sends: until a later signalled one was). Messages of 0 bytes are lawful everywhere.
//
// A poll gives at most `most` completions, one by one, to `take`, which itself neither posts nor
// polls, and returns how many there were. It makes progress too, even where `most` is 0.
template <class E>
concept Endpoint = requires(E& endpoint, LocalSlice local, Token token, Signal signal,
                            std::uint32_t imm, std::size_t most, void (*take)(const Completion&),
                            const AddressBlob& address) {
  { endpoint.address() } -> std::same_as<AddressBlob>;
  { endpoint.connect(address) } -> std::same_as<void>;  // set-up: may block under its own deadline
  { endpoint.post_send(local, token, signal) } -> std::same_as<Post>;
  { endpoint.post_send_imm(local, imm, token, signal) } -> std::same_as<Post>;
  { endpoint.post_recv(local, token) } -> std::same_as<Post>;
  { endpoint.poll(most, take) } -> std::same_as<std::size_t>;
};

}  // namespace pairbench
