#include "counters/traffic/rates.hpp"

#include <fmt/ranges.h>

#include <numeric>
#include <ranges>

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
  double seconds = 0;  ///< in which the group was switched on
  double factor = 1;   ///< that scales what it counted to the whole time
};

/// Nothing where the group did not count.
std::optional<GroupTime> time_of(std::size_t group, const CounterSnapshot& before, const CounterSnapshot& after,
                                 const Layout& layout, Traffic& traffic) {
  const GroupState& first = before.groups[group];
  const GroupState& last = after.groups[group];
  if (first.status == GroupStatus::vanished || last.status == GroupStatus::vanished) {
    traffic.labels.insert(Label::vanished);
    return std::nullopt;
  }
  const double enabled = static_cast<double>(last.enabled_ns - first.enabled_ns) * 1e-9;
  const double running = static_cast<double>(last.running_ns - first.running_ns) * 1e-9;
  if (first.status == GroupStatus::unplaced || last.status == GroupStatus::unplaced || !(running > 0) ||
      last.enabled_ns < first.enabled_ns || last.running_ns < first.running_ns) {
    traffic.labels.insert(Label::not_counted);
    return std::nullopt;
  }
  GroupTime time{.seconds = enabled};
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

/// (largest - smallest) / mean of the known rates; nothing for fewer than two.
std::optional<double> spread_of(std::vector<double> rates) {
  std::erase_if(rates, [](double rate) { return !(rate >= 0); });
  if (rates.size() < 2) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(rates);
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  return mean > 0 ? (most - least) / mean : 0;
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

/// The least share of the fabric's bytes that has to remain without the CPU's. In a smaller one an error of the CPU's
/// counters, or of stations that stand for others, would be many times as large.
constexpr double least_share_without_cpu = 0.25;

/// The share of the fabric's bytes that did not reach memory, without the CPU's in both; nothing where too little is
/// left.
std::optional<double> share_of_hits(double fabric, double memory, double cpu) {
  if (!(fabric > 0) || fabric - cpu < least_share_without_cpu * fabric) return std::nullopt;
  return 1 - (memory - cpu) / (fabric - cpu);
}

std::string why_unknown(const Traffic& traffic) {
  if (traffic.labels.contains(Label::reads_zero))
    return "the memory counters read zero while the fabric moved data: firmware has not switched them on";
  if (traffic.labels.contains(Label::uneven))
    return "the stations that took turns differed by more than a tenth, so that none stands for the others";
  for (const Label label : {Label::saturated, Label::reset, Label::vanished, Label::not_counted}) {
    if (traffic.labels.contains(label)) return "a counter that it needs is unknown: " + std::string(name_of(label));
  }
  const bool fabric = traffic.amounts[Role::fabric_read] && traffic.amounts[Role::fabric_write];
  return fabric ? "the bytes at memory are not known" : "the bytes at the fabric are not known";
}

}  // namespace

std::string_view name_of(Label label) { return label_names[static_cast<std::size_t>(label)]; }

std::string names_of(const std::set<Label>& labels) {
  return fmt::format("{}", fmt::join(labels | std::views::transform([](Label label) { return name_of(label); }), ", "));
}

std::optional<Label> label_of(std::string_view name) {
  const auto* const found = std::ranges::find(label_names, name);
  return found == label_names.end() ? std::nullopt : std::optional(static_cast<Label>(found - label_names.begin()));
}

Traffic traffic_between(const CounterSnapshot& before, const CounterSnapshot& after, const Layout& layout) {
  Traffic traffic;
  // The middle of the two times is taken, as reading takes as long at both ends.
  const auto moment = [](const CounterSnapshot& snapshot) {
    return (static_cast<double>(snapshot.before_ns) + static_cast<double>(snapshot.after_ns)) * 0.5e-9;
  };
  traffic.begin_seconds = moment(before);
  traffic.seconds = moment(after) - moment(before);
  std::vector<std::optional<GroupTime>> times;
  for (std::size_t group = 0; group < layout.groups; ++group)
    times.push_back(time_of(group, before, after, layout, traffic));

  std::vector<double> moved(layout.groups);
  std::vector<std::size_t> stations(layout.groups);
  std::set<Role> spoiled;
  for (std::size_t place = 0; place < layout.counters.size(); ++place) {
    const auto& [role, count_bytes, group] = layout.counters[place];
    const std::optional<GroupTime>& time = times[group];
    const auto steps = time
                           ? counted(before.values[place], after.values[place], traffic.seconds, layout, traffic.labels)
                           : std::nullopt;
    if (!steps) {
      spoiled.insert(role);
      continue;
    }
    const double amount = *steps * count_bytes;
    traffic.amounts[role] = traffic.amounts[role].value_or(0) + amount * time->factor;
    if (is_fabric(role)) moved[group] += amount;
    if (role == Role::fabric_read) ++stations[group];
  }
  for (const Role role : spoiled) traffic.amounts[role] = std::nullopt;
  for (std::size_t group = 0; group < layout.groups && layout.rotations > 1; ++group) {
    const bool known = times[group] && stations[group] > 0 && layout.rotates(group);
    traffic.station_rates.push_back(known ? moved[group] / static_cast<double>(stations[group]) / times[group]->seconds
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
  double scaled_seconds = 0;
  std::size_t groups = 0;
  for (const Traffic& piece : pieces) {
    all.seconds += piece.seconds;
    scaled_seconds += piece.scale * piece.seconds;
    all.labels.insert(piece.labels.begin(), piece.labels.end());
    groups = std::max(groups, piece.station_rates.size());
  }
  for (std::size_t place = 0; place < role_count; ++place) {
    const auto role = static_cast<Role>(place);
    std::optional<double>& amount = all.amounts[role];
    double known_seconds = 0;
    for (const Traffic& piece : pieces) {
      if (!piece.amounts[role]) continue;
      amount = amount.value_or(0) + *piece.amounts[role];
      known_seconds += piece.seconds;
    }
    if (amount && known_seconds < all.seconds / 2) amount = std::nullopt;
    if (amount) *amount *= all.seconds / known_seconds;
  }
  for (std::size_t group = 0; group < groups; ++group) {
    double moved = 0;
    double known_seconds = 0;
    for (const Traffic& piece : pieces) {
      if (group >= piece.station_rates.size() || piece.station_rates[group] == no_rate) continue;
      moved += piece.station_rates[group] * piece.seconds;
      known_seconds += piece.seconds;
    }
    all.station_rates.push_back(known_seconds > 0 ? moved / known_seconds : no_rate);
  }
  all.spread = spread_of(all.station_rates);
  all.scale = scaled_seconds / all.seconds;
  all.labels.erase(Label::uneven);
  return all;
}

HitRate hit_rate(const Traffic& traffic, std::string_view no_hit_rate) {
  if (!no_hit_rate.empty()) return {.why_not = std::string(no_hit_rate)};
  const auto& amounts = traffic.amounts;
  const std::optional<double>& read = amounts[Role::fabric_read];
  const std::optional<double>& written = amounts[Role::fabric_write];
  if (!read || !written || !amounts[Role::memory_read] || !amounts[Role::memory_write])
    return {.why_not = why_unknown(traffic)};
  HitRate rate{.without_cpu = amounts[Role::cpu_read] && amounts[Role::cpu_write]};
  const double fabric = *read + *written;
  const double memory = *amounts[Role::memory_read] + *amounts[Role::memory_write];
  const double cpu_read = rate.without_cpu ? *amounts[Role::cpu_read] : 0;
  const double cpu_write = rate.without_cpu ? *amounts[Role::cpu_write] : 0;
  rate.reads_and_writes = share_of_hits(fabric, memory, cpu_read + cpu_write);
  rate.reads = share_of_hits(*read, *amounts[Role::memory_read], cpu_read);
  if (!rate.reads_and_writes)
    rate.why_not = fabric > 0 ? "hardly anybody but the CPU used the fabric" : "nothing moved at the fabric";
  return rate;
}

CpuLatency cpu_latency(const Traffic& traffic, std::string_view no_cpu_latency) {
  if (!no_cpu_latency.empty()) return {.why_not = std::string(no_cpu_latency)};
  const auto& sum_ns = traffic.amounts[Role::l3_latency_ns];
  const auto& samples = traffic.amounts[Role::l3_samples];
  if (!sum_ns || !samples) return {};
  if (!(*samples > 0)) return {.why_not = "L3 sampled no request that missed it"};
  return {.ns = *sum_ns / *samples};
}

}  // namespace sonde::counters
