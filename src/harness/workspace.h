// Memory that one measuring thread writes its stamps to, touched before the clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/checkpoint.h"
#include "workload/pingpong.h"

namespace pairbench {

class Workspace {
 public:
  static constexpr std::size_t kCheckpoints = 4096;

  Workspace() : checkpoints_(kCheckpoints) {}

  // Room for so many samples; what was there before is gone.
  std::span<Ticks> samples(std::size_t count);
  // Whether they are kept from being paged out.
  bool samples_locked() const { return samples_locked_; }
  // Room for so many pairs, zeroed.
  std::span<ProbePair> probes(std::size_t count);
  std::span<Checkpoint> checkpoints() { return checkpoints_; }

 private:
  std::optional<Buffer> samples_;
  bool samples_locked_ = false;
  std::vector<ProbePair> probes_;
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace pairbench
