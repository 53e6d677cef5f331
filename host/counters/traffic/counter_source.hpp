#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "counters/traffic/role.hpp"

namespace sonde::counters {

enum class GroupStatus : std::uint8_t {
  counting,
  unplaced,  ///< the kernel found no counters for it
  vanished,  ///< it can no longer be read
};

/// Counters that count together.
struct GroupState {
  std::uint64_t enabled_ns = 0;  ///< how long it was wanted
  std::uint64_t running_ns = 0;  ///< how long it counted
  GroupStatus status = GroupStatus::counting;
};

/// All counters at one moment, which lies between the two stamps of the steady clock.
struct Reading {
  std::int64_t before_ns = 0;
  std::int64_t after_ns = 0;
  std::vector<std::uint64_t> values;
  std::vector<GroupState> groups;
};

/// One value of a reading.
struct Counter {
  Role role = Role::other;
  unsigned count_bytes = 0;
  std::size_t group = 0;
};

/// What the values of a source's readings are.
struct Layout {
  std::string name;
  std::vector<Counter> counters;
  std::size_t groups = 0;
  std::size_t turns = 1;               ///< readings until each group has had its turn
  std::vector<bool> takes_turns = {};  ///< by group
  unsigned width_bits = 64;            ///< a value that passes the largest of so many bits goes on at 0
  bool saturates = false;              ///< or stays there
  int cpu = 0;                         ///< where reading costs least
  std::string_view no_hit_rate;        ///< why there is none; empty where there is
  std::string_view no_cpu_latency;     ///< the same of the CPU's latency behind L3
  std::vector<std::string> missing;    ///< what it does not count, and what would give it

  /// The largest that a counter shows.
  [[nodiscard]] std::uint64_t largest_value() const {
    return width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1;
  }
  [[nodiscard]] bool has_turns(std::size_t group) const { return group < takes_turns.size() && takes_turns[group]; }
  [[nodiscard]] bool counts(Role role) const {
    return std::ranges::find(counters, role, &Counter::role) != counters.end();
  }
  /// Of one count at the fabric; 0 where none is counted.
  [[nodiscard]] unsigned beat_bytes() const {
    const auto found = std::ranges::find(counters, Role::fabric_read, &Counter::role);
    return found == counters.end() ? 0 : found->count_bytes;
  }

  /// A reading with room for everything, so that filling it in allocates nothing.
  [[nodiscard]] Reading empty_reading() const {
    return {.values = std::vector<std::uint64_t>(counters.size()), .groups = std::vector<GroupState>(groups)};
  }
};

/// Something that counts. The seam at which tests put counters that they know.
class CounterSource {
 public:
  CounterSource() = default;
  CounterSource(const CounterSource&) = delete;
  CounterSource& operator=(const CounterSource&) = delete;
  virtual ~CounterSource() = default;

  [[nodiscard]] virtual const Layout& layout() const = 0;
  /// Fills in an `empty_reading`, stamps included. Allocates nothing.
  virtual void read(Reading& into) noexcept = 0;
  /// Of groups that take turns the next one counts from now on. Allocates nothing.
  virtual void pass_the_turn_on() noexcept {}
};

}  // namespace sonde::counters
