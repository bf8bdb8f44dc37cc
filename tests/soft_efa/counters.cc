#include "soft_efa/counters.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>

#include "soft_efa/settings.h"

namespace pairbench::soft_efa {
namespace {

constexpr auto kCount = static_cast<std::size_t>(Counter::kCount);
constexpr std::array<std::string_view, kCount> kNames{
    "queue_pairs",  "requests_sent", "responses_sent", "messages_received", "eager",
    "medium",       "long_cts",      "clears_to_send", "cts_data",          "long_read",
    "ends_of_read", "handshakes",    "bytes_received", "reads_served",      "writes_served",
    "not_ready",    "delayed",       "refused",        "scripted",          "failed",
    "overruns"};

// One line of the file, so to say: counters.py reads it.
struct Record {
  std::array<char, 24> name;
  std::atomic<std::uint64_t> value;
};
static_assert(sizeof(Record) == 32);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

using Records = std::array<Record, kCount>;

// The file's memory is shared, so that a process needs no good end for its counts to be there.
void* shared_memory(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return MAP_FAILED;
  void* memory = MAP_FAILED;
  if (ftruncate(file, sizeof(Records)) == 0)
    memory = mmap(nullptr, sizeof(Records), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory;
}

Records& open_records() {
  static Records own{};
  const std::string& path = settings().counters;
  if (path.empty()) return own;
  void* memory = shared_memory(path.c_str());
  if (memory == MAP_FAILED) {
    std::perror(("soft-efa: SOFT_EFA_COUNTERS=" + path).c_str());
    return own;
  }
  auto& records = *static_cast<Records*>(memory);
  for (std::size_t i = 0; i < kCount; ++i) std::ranges::copy(kNames[i], records[i].name.begin());
  return records;
}

}  // namespace

void count(Counter counter, std::uint64_t amount) {
  static Records& records = open_records();
  records[static_cast<std::size_t>(counter)].value.fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace pairbench::soft_efa
