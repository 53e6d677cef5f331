#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "os/perf_events.hpp"
#include "os/time.hpp"

namespace sonde::counters {

using os::EventGroup;
using os::OpenGroup;

/// The quantity that a counter counts. The first eight are bytes, under the names that a `counter` record has for them.
enum class Role {
  fabric_read,
  fabric_write,
  memory_read,
  memory_write,
  cpu_read,
  cpu_write,
  gpu_read,
  gpu_write,
  cpu_requests,   ///< bytes, reads and writes together, where memory controllers do not tell them apart
  gpu_requests,   ///< bytes of the GPU, like `cpu_requests`
  io_requests,    ///< bytes of devices, like `cpu_requests`
  l3_latency_ns,  ///< the sum of the latencies of sampled requests that missed the CPU's L3
  l3_samples,     ///< the number of those requests
  memory_clock,   ///< cycles of the memory controllers' clock
  uncalibrated,   ///< requests that some machines are known to miscount
  other,          ///< nothing of memory
};
inline constexpr std::size_t role_count = static_cast<std::size_t>(Role::other) + 1;

/// A value for each role.
template <typename Value>
class PerRole {
 public:
  Value& operator[](Role role) { return values_[static_cast<std::size_t>(role)]; }
  const Value& operator[](Role role) const { return values_[static_cast<std::size_t>(role)]; }

 private:
  std::array<Value, role_count> values_{};
};

enum class GroupStatus : std::uint8_t {
  counting,
  unplaced,  ///< the kernel found no free counters for the group
  vanished,  ///< the group can no longer be read
};

/// The times of a group: counters that count together or not at all.
struct GroupState {
  std::uint64_t enabled_ns = 0;  ///< how long the group was switched on
  std::uint64_t running_ns = 0;  ///< how long it counted of that
  GroupStatus status = GroupStatus::counting;
};

/// All counters at one moment, which lies between the two times of the steady clock.
struct CounterSnapshot {
  std::int64_t before_ns = 0;
  std::int64_t after_ns = 0;
  std::vector<std::uint64_t> values;
  std::vector<GroupState> groups;
};

/// The meaning of one value of a snapshot.
struct Counter {
  Role role = Role::other;
  unsigned count_bytes = 0;
  std::size_t group = 0;
};

/// The reasons for which counters do not give something; each is empty where they do.
struct WhyNot {
  std::string_view hit_rate = {};
  std::string_view cpu_latency = {};  ///< behind the CPU's L3
};

/// The meaning of all values of a source's snapshots.
struct Layout {
  std::string name;
  std::vector<Counter> counters;  ///< those of the first group first, then those of the next one
  std::size_t groups = 0;
  std::size_t rotations = 1;          ///< snapshots until each multiplexed group has counted
  std::vector<bool> is_rotated = {};  ///< by group: whether it is multiplexed, so that it counts only in its rotation
  unsigned width_bits = 64;           ///< a value that passes the largest of so many bits goes on at 0
  bool saturates = false;             ///< or stays there
  int cpu = 0;                        ///< where reading costs least
  WhyNot why_not = {};
  std::vector<std::string> missing;  ///< what is not counted, and what would make it so

  [[nodiscard]] std::uint64_t largest_value() const {
    return width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1;
  }
  [[nodiscard]] bool rotates(std::size_t group) const { return group < is_rotated.size() && is_rotated[group]; }
  [[nodiscard]] bool counts(Role role) const {
    return std::ranges::find(counters, role, &Counter::role) != counters.end();
  }
  /// Bytes of one count at the fabric; 0 where none is counted.
  [[nodiscard]] unsigned beat_bytes() const {
    const auto found = std::ranges::find(counters, Role::fabric_read, &Counter::role);
    return found == counters.end() ? 0 : found->count_bytes;
  }

  /// A snapshot with room for everything, so that reading into it allocates nothing.
  [[nodiscard]] CounterSnapshot empty_snapshot() const {
    return {.values = std::vector<std::uint64_t>(counters.size()), .groups = std::vector<GroupState>(groups)};
  }
};

/// A set of counters. Tests replace it by counters that they know.
class CounterSource {
 public:
  virtual ~CounterSource() = default;

  [[nodiscard]] virtual const Layout& layout() const = 0;
  /// Fills in an `empty_snapshot`, with its times. Allocates nothing.
  virtual void read(CounterSnapshot& into) noexcept = 0;
  /// Switches counting from the present multiplexed group to the next one. Allocates nothing.
  virtual void rotate_group() noexcept {}
  /// Counts nothing while it `rests`, so that another process may use the same counters.
  virtual void rest(bool rests) noexcept { (void)rests; }
};

/// Groups of the kernel's counters as one source. One of those that are multiplexed counts at a time.
class GroupSource final : public CounterSource {
 public:
  /// Starts the counting. `layout` describes the groups; `clock` gives the times of snapshots.
  GroupSource(
      Layout layout, std::vector<std::unique_ptr<EventGroup>> groups,
      std::function<std::int64_t()> clock = [] { return os::steady_ns(); });

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(CounterSnapshot& into) noexcept override;
  void rotate_group() noexcept override;
  void rest(bool rests) noexcept override;

 private:
  void read_group(std::size_t place) noexcept;

  Layout layout_;
  std::vector<std::unique_ptr<EventGroup>> groups_;
  std::function<std::int64_t()> clock_;
  std::vector<std::size_t> rotated_;  ///< the groups that are multiplexed
  std::size_t rotation_ = 0;          ///< which of them counts now
  CounterSnapshot last_;              ///< the latest values of each group, also of those that do not count now
};

}  // namespace sonde::counters
