#include "harness/workspace.h"

#include <bit>

namespace pairbench {

std::span<Ticks> Workspace::samples(std::size_t count) {
  const std::size_t bytes = count * sizeof(Ticks);
  if (!samples_ || samples_->bytes().size() < bytes) {
    samples_.reset();  // the old one goes before the new one comes
    samples_.emplace(std::bit_ceil(bytes));
    samples_locked_ = samples_->lock();
  }
  // A mapping is aligned to a page, and Ticks are integers: the bytes can be used as such.
  return {reinterpret_cast<Ticks*>(samples_->bytes().data()), count};
}

std::span<ProbePair> Workspace::probes(std::size_t count) {
  probes_.assign(count, {});
  return probes_;
}

}  // namespace pairbench
