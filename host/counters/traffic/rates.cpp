#include "counters/traffic/rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sonde::counters {
namespace {

/// The upper limit of any counter's rate: several events a cycle of the fastest clock.
constexpr double most_counts_per_second = 1e11;
/// A group that ran for a smaller share of its time was multiplexed by the kernel.
constexpr double counted_throughout = 0.99;
/// With fewer bytes at the fabric it is possible that none reached memory.
constexpr double load_bytes = 1 << 20;
constexpr double most_spread = 0.10;
constexpr double no_rate = -1;

constexpr std::array<std::string_view, 8> label_names{"reset",      "saturated", "vanished",    "not-counted",
                                                      "reads-zero", "uneven",    "multiplexed", "extrapolated"};

/// The counter's increment; nothing where it is impossible.
std::optional<double> counted(std::uint64_t before, std::uint64_t after, double seconds, const Layout& layout,
                              std::set<Label>& labels) {
  const std::uint64_t largest = layout.largest_value();
  if (layout.saturates && after >= largest) {
    labels.insert(Label::saturated);
    return std::nullopt;
  }
  const auto steps = static_cast<double>((after - before) & largest);
  if (steps <= most_counts_per_second * seconds) return steps;
  labels.insert(Label::reset);
  return std::nullopt;
}

struct GroupTime {
  bool known = false;
  double seconds = 0;  ///< in which the group was switched on
  double factor = 1;   ///< that scales what it counted to the whole time
};

GroupTime time_of(std::size_t group, const CounterSnapshot& before, const CounterSnapshot& after, const Layout& layout,
                  Traffic& traffic) {
  const GroupState& first = before.groups[group];
  const GroupState& last = after.groups[group];
  if (first.status == GroupStatus::vanished || last.status == GroupStatus::vanished) {
    traffic.labels.insert(Label::vanished);
    return {};
  }
  const double enabled = static_cast<double>(last.enabled_ns - first.enabled_ns) * 1e-9;
  const double running = static_cast<double>(last.running_ns - first.running_ns) * 1e-9;
  if (first.status == GroupStatus::unplaced || last.status == GroupStatus::unplaced || !(running > 0) ||
      last.enabled_ns < first.enabled_ns || last.running_ns < first.running_ns) {
    traffic.labels.insert(Label::not_counted);
    return {};
  }
  GroupTime time{.known = true, .seconds = enabled};
  if (running < counted_throughout * enabled) {
    traffic.labels.insert(Label::multiplexed);
    time.factor = enabled / running;
  }
  if (layout.rotates(group)) {
    traffic.labels.insert(Label::extrapolated);
    const double rotation = std::max(1.0, traffic.seconds / enabled);
    traffic.scale = std::max(traffic.scale, rotation);
    time.factor *= rotation;
  }
  return time;
}

bool is_fabric(Role role) { return role == Role::fabric_read || role == Role::fabric_write; }

/// (largest - smallest) / mean; nothing for fewer than two.
std::optional<double> spread_of(const std::vector<double>& rates) {
  std::vector<double> known;
  std::ranges::copy_if(rates, std::back_inserter(known), [](double rate) { return rate >= 0; });
  if (known.size() < 2) return std::nullopt;
  double sum = 0;
  for (const double rate : known) sum += rate;
  const double mean = sum / static_cast<double>(known.size());
  return mean > 0 ? (std::ranges::max(known) - std::ranges::min(known)) / mean : 0;
}

/// Labels memory counters that all stand still, the clock's too, while the fabric moves data: firmware has them off.
void notice_silence(Traffic& traffic) {
  const auto& amounts = traffic.amounts;
  const double fabric = amounts[Role::fabric_read].value_or(0) + amounts[Role::fabric_write].value_or(0);
  const bool still = amounts[Role::memory_read] == 0.0 && amounts[Role::memory_write] == 0.0;
  if (!still || fabric < load_bytes || amounts[Role::memory_clock].value_or(0) > 0) return;
  traffic.labels.insert(Label::reads_zero);
  traffic.amounts[Role::memory_read] = traffic.amounts[Role::memory_write] = std::nullopt;
}

}  // namespace

std::string_view name_of(Label label) { return label_names[static_cast<std::size_t>(label)]; }

std::optional<Label> label_of(std::string_view name) {
  const auto* const found = std::ranges::find(label_names, name);
  if (found == label_names.end()) return std::nullopt;
  return static_cast<Label>(found - label_names.begin());
}

Traffic traffic_between(const CounterSnapshot& before, const CounterSnapshot& after, const Layout& layout) {
  Traffic traffic;
  // The middle of the two times is taken, as reading takes as long at both ends.
  const auto moment = [](const CounterSnapshot& snapshot) {
    return (static_cast<double>(snapshot.before_ns) + static_cast<double>(snapshot.after_ns)) * 0.5e-9;
  };
  traffic.begin_seconds = moment(before);
  traffic.seconds = moment(after) - moment(before);
  std::vector<GroupTime> times;
  for (std::size_t group = 0; group < layout.groups; ++group)
    times.push_back(time_of(group, before, after, layout, traffic));

  std::vector<double> moved(layout.groups);
  std::vector<std::size_t> stations(layout.groups);
  PerRole<bool> spoiled;
  for (std::size_t place = 0; place < layout.counters.size(); ++place) {
    const auto& [role, count_bytes, group] = layout.counters[place];
    const GroupTime& time = times[group];
    const auto steps = time.known
                           ? counted(before.values[place], after.values[place], traffic.seconds, layout, traffic.labels)
                           : std::nullopt;
    if (!steps) {
      spoiled[role] = true;
      continue;
    }
    const double amount = *steps * count_bytes;
    traffic.amounts[role] = traffic.amounts[role].value_or(0) + amount * time.factor;
    if (is_fabric(role)) moved[group] += amount;
    if (role == Role::fabric_read) ++stations[group];
  }
  for (std::size_t role = 0; role < role_count; ++role) {
    if (spoiled[static_cast<Role>(role)]) traffic.amounts[static_cast<Role>(role)] = std::nullopt;
  }
  for (std::size_t group = 0; group < layout.groups && layout.rotations > 1; ++group) {
    const bool known = times[group].known && stations[group] > 0 && layout.rotates(group);
    traffic.station_rates.push_back(known ? moved[group] / static_cast<double>(stations[group]) / times[group].seconds
                                          : no_rate);
  }
  traffic.spread = spread_of(traffic.station_rates);
  notice_silence(traffic);
  return traffic;
}

Traffic stated(Traffic traffic) {
  if (traffic.spread.value_or(0) <= most_spread) return traffic;
  traffic.labels.insert(Label::uneven);
  for (const Role role : {Role::fabric_read, Role::fabric_write, Role::cpu_read, Role::cpu_write})
    traffic.amounts[role] = std::nullopt;
  return traffic;
}

Traffic total(std::span<const Traffic> pieces) {
  Traffic all;
  if (pieces.empty()) return all;
  all.begin_seconds = pieces.front().begin_seconds;
  PerRole<double> known_seconds;
  double scaled_seconds = 0;
  std::vector<double> rate_seconds;
  for (const Traffic& piece : pieces) {
    all.seconds += piece.seconds;
    scaled_seconds += piece.scale * piece.seconds;
    all.labels.insert(piece.labels.begin(), piece.labels.end());
    for (std::size_t place = 0; place < role_count; ++place) {
      const auto role = static_cast<Role>(place);
      if (!piece.amounts[role]) continue;
      all.amounts[role] = all.amounts[role].value_or(0) + *piece.amounts[role];
      known_seconds[role] += piece.seconds;
    }
    all.station_rates.resize(std::max(all.station_rates.size(), piece.station_rates.size()));
    rate_seconds.resize(all.station_rates.size());
    for (std::size_t group = 0; group < piece.station_rates.size(); ++group) {
      if (piece.station_rates[group] == no_rate) continue;
      all.station_rates[group] += piece.station_rates[group] * piece.seconds;
      rate_seconds[group] += piece.seconds;
    }
  }
  for (std::size_t place = 0; place < role_count; ++place) {
    auto& amount = all.amounts[static_cast<Role>(place)];
    const double known = known_seconds[static_cast<Role>(place)];
    if (amount && known < all.seconds / 2) amount = std::nullopt;
    if (amount) *amount *= all.seconds / known;
  }
  for (std::size_t group = 0; group < all.station_rates.size(); ++group)
    all.station_rates[group] = rate_seconds[group] > 0 ? all.station_rates[group] / rate_seconds[group] : no_rate;
  all.spread = spread_of(all.station_rates);
  all.scale = scaled_seconds / all.seconds;
  all.labels.erase(Label::uneven);
  return all;
}

}  // namespace sonde::counters
