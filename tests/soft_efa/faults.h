// Decides what strikes: by script at the n-th event, else by chance.
#pragma once

#include <atomic>
#include <cstdint>

#include "soft_efa/settings.h"

namespace pairbench::soft_efa {

// One per process, so that its events have one count and its chances one seeded sequence. Safe for
// every thread, and takes no lock.
class Faults {
 public:
  // The settings must outlive it.
  explicit Faults(const Settings& settings);

  Fate of_next_send();
  Fate of_next_receive();
  // Whether a send is refused as though the queue were full.
  bool refuses_next_post();

 private:
  const Fate* scripted(Event event, std::uint64_t number) const;
  bool chance(unsigned percent);
  std::uint64_t random();

  const Settings& settings_;
  std::atomic<std::uint64_t> state_;
  std::atomic<std::uint64_t> sends_ = 0;
  std::atomic<std::uint64_t> receives_ = 0;
};

Faults& faults();

}  // namespace pairbench::soft_efa
