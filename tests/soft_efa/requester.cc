#include "soft_efa/requester.h"

#include <algorithm>
#include <cstring>

#include "soft_efa/counters.h"
#include "soft_efa/faults.h"
#include "soft_efa/memory_region.h"
#include "soft_efa/pieces.h"

namespace pairbench::soft_efa {
namespace {

constexpr unsigned kRetryForEver = 7;
constexpr std::chrono::microseconds kRetryAfter{100};
// How often requests without an answer are looked at.
constexpr std::chrono::milliseconds kLookInterval{50};

std::span<const ibv_sge> pieces_of(const Request& request) {
  return std::span(request.pieces).first(request.piece_count);
}

// The device writes what it reads from the peer into its own host's memory.
unsigned local_rights(const Request& request) {
  return request.kind == PacketKind::read ? IBV_ACCESS_LOCAL_WRITE : 0;
}

}  // namespace

bool Request::set_pieces(std::span<const ibv_sge> list) {
  if (list.size() > pieces.size()) return false;
  std::ranges::copy(list, pieces.begin());
  piece_count = list.size();
  length = total_length(list);
  return true;
}

bool Request::set_inline(std::span<const ibv_data_buf> list) {
  is_inline = true;
  for (const ibv_data_buf& part : list) {
    if (length + part.length > settings().inline_bytes) return false;
    std::memcpy(inlined.data() + length, part.addr, part.length);
    length += part.length;
  }
  return true;
}

Requester::Requester(Port& port, CompletionQueue& completions, QueuePair& owner, std::size_t depth)
    : port_(port), completions_(completions), owner_(owner), requests_(depth) {
  free_.reserve(depth);
  pending_.reserve(depth);
  for (std::size_t i = 0; i < depth; ++i) free_.push_back(static_cast<int>(depth - 1 - i));
}

Request* Requester::take(std::uint64_t wr_id) {
  if (free_.empty() || faults().refuses_next_post()) {
    count(Counter::refused);
    return nullptr;
  }
  Request& request = requests_[static_cast<std::size_t>(free_.back())];
  free_.pop_back();
  const bool listed = request.listed;
  request = {.state = Request::State::building,
             .listed = listed,
             .generation = request.generation + 1,
             .wr_id = wr_id};
  return &request;
}

void Requester::give_back(Request& request) {
  request.state = Request::State::free;
  free_.push_back(static_cast<int>(&request - requests_.data()));
}

void Requester::release(int request) {
  give_back(requests_[static_cast<std::size_t>(request)]);
}

void Requester::launch(Request& request) {
  const Time now = std::chrono::steady_clock::now();
  ++in_flight_;
  request.launched = now;
  request.deadline = now + settings().timeout;
  request.state = Request::State::waiting;
  if (request.kind == PacketKind::send && request.length > settings().mtu_bytes)
    return finish(request, Status::local_length);
  strike(request, now);
}

// What the faults make of a request; without one it leaves at once.
void Requester::strike(Request& request, Time now) {
  const Fate fate = faults().of_next_send();
  switch (fate.effect) {
    case Effect::none:
      return push(request, now);
    case Effect::drop:
      request.dropped = true;
      return;
    case Effect::delay:
      count(Counter::delayed);
      request.deadline += fate.delay;
      return make_pending(request, now + fate.delay);
    case Effect::status:
      return finish(request, fate.status);
  }
}

void Requester::make_pending(Request& request, Time due) {
  request.state = Request::State::pending;
  request.due = due;
  if (request.listed) return;
  request.listed = true;
  pending_.push_back(static_cast<int>(&request - requests_.data()));
}

void Requester::push_pending(Time now) {
  for (const int index : pending_) {
    Request& request = requests_[static_cast<std::size_t>(index)];
    if (request.state == Request::State::pending && request.due <= now) push(request, now);
  }
  std::erase_if(pending_, [this](int index) {
    Request& request = requests_[static_cast<std::size_t>(index)];
    request.listed = request.state == Request::State::pending;
    return !request.listed;
  });
}

// Puts what is left of it on the wire.
void Requester::push(Request& request, Time now) {
  do {
    const Delivery delivery = push_part(request);
    if (request.state == Request::State::done) return;
    if (delivery == Delivery::full) return make_pending(request, now);
    if (delivery == Delivery::nobody) return finish(request, Status::bad_queue_pair);
    count(Counter::requests_sent);
  } while (request.kind == PacketKind::write && request.sent < request.length);
  request.state = Request::State::waiting;
}

Delivery Requester::push_part(Request& request) {
  PacketHeader header{};
  header.kind = request.kind;
  header.queue_key = request.queue_key;
  header.request = static_cast<std::uint32_t>(&request - requests_.data());
  header.generation = request.generation;
  header.has_immediate = request.has_immediate;
  header.immediate = request.immediate;
  header.remote_key = request.remote_key;
  header.remote_address = request.remote_address;
  header.offset = request.sent;
  header.total = request.length;
  std::uint64_t length = request.kind == PacketKind::read ? 0 : request.length - request.sent;
  if (request.kind == PacketKind::write) length = std::min(length, kSegmentBytes);
  header.last = request.sent + length == request.length;
  return transmit(request, header, length);
}

// With the bytes held in place while the kernel copies them. A key that does not fit ends the
// request.
Delivery Requester::transmit(Request& request, PacketHeader header, std::uint64_t length) {
  Delivery delivery = Delivery::sent;
  if (request.is_inline) {
    const iovec whole{request.inlined.data(), length};
    delivery = port_.send(request.to, header, {&whole, 1});
  } else if (!memory_regions().with(pieces_of(request), local_rights(request), [&] {
               const Slices payload = slice(pieces_of(request), request.sent, length);
               delivery = port_.send(request.to, header, payload.list());
             })) {
    finish(request, Status::local_key);
  }
  if (delivery == Delivery::sent) request.sent += length;
  return delivery;
}

Request* Requester::waiting_for(const PacketHeader& packet) {
  if (packet.request >= requests_.size()) return nullptr;
  Request& request = requests_[packet.request];
  const bool in_flight =
      request.state == Request::State::waiting || request.state == Request::State::pending;
  return in_flight && request.generation == packet.generation ? &request : nullptr;
}

void Requester::on_answer(const PacketHeader& answer) {
  Request* request = waiting_for(answer);
  if (request == nullptr) return;
  const bool not_ready = answer.status == Status::receiver_not_ready;
  const bool again =
      answer.status == Status::try_again ||
      (not_ready && (not_ready_retries == kRetryForEver || request->not_ready < not_ready_retries));
  if (!again) return finish(*request, answer.status);
  if (not_ready) ++request->not_ready;
  const Time now = std::chrono::steady_clock::now();
  request->sent = request->received = 0;
  request->launched = now;
  request->deadline = now + settings().timeout;
  make_pending(*request, now + kRetryAfter);
}

void Requester::on_read_response(const Port::Packet& response) {
  Request* request = waiting_for(response.header);
  if (request == nullptr) return;
  const bool allowed = memory_regions().with(pieces_of(*request), IBV_ACCESS_LOCAL_WRITE, [&] {
    scatter(response.payload,
            slice(pieces_of(*request), response.header.offset, response.payload.size()));
  });
  if (!allowed) return finish(*request, Status::local_key);
  count(Counter::bytes_received, response.payload.size());
  request->received += response.payload.size();
  request->deadline = std::chrono::steady_clock::now() + settings().timeout;
  if (request->received == request->length) finish(*request, Status::ok);
}

void Requester::progress(Time now) {
  push_pending(now);
  if (in_flight_ == 0 || now < next_look_) return;
  next_look_ = now + kLookInterval;
  look_after_waiting(now);
}

// Nobody answers for a queue pair that is gone, so those who wait for it ask.
void Requester::look_after_waiting(Time now) {
  for (Request& request : requests_) {
    const bool in_flight =
        request.state == Request::State::waiting || request.state == Request::State::pending;
    if (!in_flight || request.launched + kLookInterval > now) continue;
    if (request.deadline < now)
      finish(request, Status::unresponsive);
    else if (!request.dropped && !port_.reaches(request.to))
      finish(request, Status::bad_queue_pair);
  }
}

void Requester::finish(Request& request, Status status) {
  request.state = Request::State::done;
  --in_flight_;
  Completion completion;
  completion.wr_id = request.wr_id;
  completion.owner = &owner_;
  completion.request = static_cast<int>(&request - requests_.data());
  completion.status = status;
  completion.opcode = request.opcode;
  completion.byte_len = static_cast<std::uint32_t>(request.length);
  completion.queue_pair = port_.address().queue_pair;
  completions_.push(completion);
}

}  // namespace pairbench::soft_efa
