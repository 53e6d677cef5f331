#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

namespace sonde::cpu {

/// An ordinary write has its line read first, by processors that allocate lines for stores; a non-temporal one has not.
enum class Access { read, write, non_temporal_write };

/// Whether this program has an access for this processor.
bool has(Access access);

/// Threads that move every byte of some memory in order, again and again, while they live: each on a core of its own,
/// an equal part each.
class Movers {
 public:
  /// The memory outlives them.
  Movers(std::span<std::byte> memory, Access access, const std::vector<int>& cpus);

  /// So far, all threads together.
  [[nodiscard]] std::uint64_t bytes_moved() const;

 private:
  /// Each in a line of its own, so that counting moves nothing between cores.
  struct alignas(64) Count {
    std::atomic<std::uint64_t> bytes = 0;
  };

  std::size_t count_;
  std::unique_ptr<Count[]> counts_;
  std::vector<std::jthread> threads_;  ///< the last member: they end before what they use
};

}  // namespace sonde::cpu
