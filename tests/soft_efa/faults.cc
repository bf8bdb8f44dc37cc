#include "soft_efa/faults.h"

#include <functional>
#include <string>

#include "soft_efa/counters.h"

namespace pairbench::soft_efa {

// Both ends of a run have the same seed, and are told apart by their hosts.
Faults::Faults(const Settings& settings)
    : settings_(settings), state_(settings.seed ^ std::hash<std::string>{}(settings.host)) {}

Fate Faults::of_next_send() {
  if (const Fate* fate = scripted(Event::send, ++sends_)) return *fate;
  if (!chance(settings_.reorder_percent)) return {};
  const auto longest = static_cast<std::uint64_t>(settings_.reorder_time.count());
  return {.effect = Effect::delay, .delay = std::chrono::microseconds(random() % (longest + 1))};
}

Fate Faults::of_next_receive() {
  if (const Fate* fate = scripted(Event::receive, ++receives_)) return *fate;
  if (!chance(settings_.not_ready_percent)) return {};
  return {.effect = Effect::status, .status = Status::receiver_not_ready};
}

bool Faults::refuses_next_post() {
  return chance(settings_.refuse_percent);
}

const Fate* Faults::scripted(Event event, std::uint64_t number) const {
  for (const ScriptedFault& fault : settings_.script)
    if (fault.event == event && fault.first <= number && number <= fault.last) {
      count(Counter::scripted);
      return &fault.fate;
    }
  return nullptr;
}

bool Faults::chance(unsigned percent) {
  return percent > 0 && random() % 100 < percent;
}

// splitmix64 (Steele, Lea, Flood 2014): a step is one addition, so threads can share it.
std::uint64_t Faults::random() {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t z = state_.fetch_add(kStep) + kStep;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Faults& faults() {
  static Faults& faults = *new Faults(settings());
  return faults;
}

}  // namespace pairbench::soft_efa
