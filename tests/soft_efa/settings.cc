#include "soft_efa/settings.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>

namespace pairbench::soft_efa {
namespace {

constexpr std::string_view kPrefix = "SOFT_EFA_";
constexpr unsigned kMaxQueue = 32768;
constexpr unsigned kMaxMtu = 32768;

std::uint64_t number(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw std::invalid_argument("'" + std::string(text) + "' is not a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most));
  return value;
}

unsigned small(std::string_view text, unsigned least, unsigned most) {
  return static_cast<unsigned>(number(text, least, most));
}

unsigned percent(std::string_view text) {
  return small(text, 0, 100);
}

template <class Duration>
Duration duration(std::string_view text) {
  constexpr std::uint64_t kHour =
      std::chrono::duration_cast<Duration>(std::chrono::hours(1)).count();
  return Duration(number(text, 0, kHour));
}

Rdma rdma_from(std::string_view text) {
  if (text == "none") return Rdma::none;
  if (text == "read") return Rdma::read;
  if (text == "write") return Rdma::write;
  throw std::invalid_argument("'" + std::string(text) + "' is none of none, read, write");
}

// The part up to the separator, which is taken off `text` with it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

Event event_from(std::string_view text) {
  if (text == "send") return Event::send;
  if (text == "receive") return Event::receive;
  throw std::invalid_argument("'" + std::string(text) + "' is neither send nor receive");
}

Fate fate_from(std::string_view effect, std::string_view value) {
  if (effect == "drop" && value.empty()) return {.effect = Effect::drop};
  if (effect == "delay")
    return {.effect = Effect::delay, .delay = duration<std::chrono::microseconds>(value)};
  if (effect == "status")
    return {.effect = Effect::status, .status = static_cast<Status>(number(value, 1, 99))};
  throw std::invalid_argument("'" + std::string(effect) +
                              "' is none of drop, delay:MICROSECONDS, status:NUMBER");
}

ScriptedFault fault_from(std::string_view text) {
  ScriptedFault fault{};
  fault.event = event_from(take(text, ':'));
  std::string_view place = take(text, ':');
  const bool onwards = place.ends_with('+');
  if (onwards) place.remove_suffix(1);
  constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
  fault.first = number(place, 1, kForever);
  fault.last = onwards ? kForever : fault.first;
  const std::string_view effect = take(text, ':');
  fault.fate = fate_from(effect, text);
  if (fault.event == Event::receive && fault.fate.effect == Effect::delay)
    throw std::invalid_argument("only a send can be delayed");
  return fault;
}

void set_queue(unsigned& size, std::string_view value) {
  size = small(value, 1, kMaxQueue);
}

struct Variable {
  std::string_view name;  // after the prefix
  void (*set)(Settings&, std::string_view);
};

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::array kVariables{
    Variable{"HOST", [](Settings& s, std::string_view v) { s.host = v; }},
    Variable{"DEVICES",
             [](Settings& s, std::string_view v) { s.devices = small(v, 1, kMaxDevices); }},
    Variable{"RDMA", [](Settings& s, std::string_view v) { s.rdma = rdma_from(v); }},
    Variable{"MTU", [](Settings& s, std::string_view v) { s.mtu_bytes = small(v, 1024, kMaxMtu); }},
    Variable{"SEND_QUEUE", [](Settings& s, std::string_view v) { set_queue(s.send_queue, v); }},
    Variable{"RECEIVE_QUEUE",
             [](Settings& s, std::string_view v) { set_queue(s.receive_queue, v); }},
    Variable{"INLINE", [](Settings& s,
                          std::string_view v) { s.inline_bytes = small(v, 0, kMaxInlineBytes); }},
    Variable{"MEMLOCK",
             [](Settings& s, std::string_view v) { s.counts_locked_memory = small(v, 0, 1) == 1; }},
    Variable{"SEED",
             [](Settings& s, std::string_view v) {
               s.seed = number(v, 0, std::numeric_limits<std::uint64_t>::max());
             }},
    Variable{"REORDER", [](Settings& s, std::string_view v) { s.reorder_percent = percent(v); }},
    Variable{"REORDER_US",
             [](Settings& s, std::string_view v) { s.reorder_time = duration<microseconds>(v); }},
    Variable{"RNR", [](Settings& s, std::string_view v) { s.not_ready_percent = percent(v); }},
    Variable{"REFUSE", [](Settings& s, std::string_view v) { s.refuse_percent = percent(v); }},
    Variable{"HOLD_US",
             [](Settings& s, std::string_view v) { s.answer_delay = duration<microseconds>(v); }},
    Variable{"TIMEOUT_MS",
             [](Settings& s, std::string_view v) { s.timeout = duration<milliseconds>(v); }},
    Variable{"SCRIPT", [](Settings& s, std::string_view v) { s.script = parse_script(v); }},
    Variable{"COUNTERS", [](Settings& s, std::string_view v) { s.counters = v; }},
};

const Variable& variable_of(std::string_view name) {
  for (const Variable& variable : kVariables)
    if (variable.name == name) return variable;
  throw std::invalid_argument("there is no such variable");
}

}  // namespace

std::vector<ScriptedFault> parse_script(std::string_view text) {
  std::vector<ScriptedFault> script;
  while (!text.empty()) script.push_back(fault_from(take(text, ',')));
  return script;
}

Settings settings_from(const char* const* environment) {
  Settings settings;
  for (; *environment != nullptr; ++environment) {
    std::string_view value = *environment;
    const std::string_view name = take(value, '=');
    if (!name.starts_with(kPrefix)) continue;
    try {
      variable_of(name.substr(kPrefix.size())).set(settings, value);
    } catch (const std::invalid_argument& problem) {
      throw std::invalid_argument(std::string(name) + ": " + problem.what());
    }
  }
  return settings;
}

Settings& settings() {
  // Never destroyed: a device's thread may outlive main.
  static Settings& settings = *new Settings(settings_from(environ));
  return settings;
}

}  // namespace pairbench::soft_efa
