#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/statistics.hpp"
#include "counters/selfcheck/self_check.hpp"

namespace sonde::counters {
namespace {

/// Prefetches past the end, page tables and refreshes are less than this.
constexpr double exact_within = 0.05;
/// What they usually are, beside the load.
constexpr double beside_the_load = 0.02;
/// Quartiles of repetitions, and medians of loads, further apart than this say nothing certain.
constexpr double steady_within = 0.10;
/// Below this share of the load a counter is not seen to take part in it.
constexpr double least_share = 0.05;
/// Of the requests of Zen 1 to 3, by Linux's table of events, which their counters are known to miss.
constexpr double stated_request_bytes = 64;

enum class Way { read, write, both };

std::optional<Way> way_of(Role role) {
  switch (role) {
    case Role::fabric_read:
    case Role::memory_read:
    case Role::cpu_read: return Way::read;
    case Role::fabric_write:
    case Role::memory_write:
    case Role::cpu_write: return Way::write;
    case Role::cpu_requests:
    case Role::uncalibrated: return Way::both;
    default: return std::nullopt;  // others' traffic, of which none is made
  }
}

/// What a role sees of each byte that a load moves, and whether that is certain: whether an ordinary store reads its
/// line first is up to the processor.
struct Wanted {
  double share = 0;
  bool judged = false;
};

Wanted wanted_of(Way way, LoadKind kind) {
  switch (kind) {
    case LoadKind::read: return way == Way::write ? Wanted{} : Wanted{1, true};
    case LoadKind::write: return way == Way::both ? Wanted{2, false} : Wanted{1, way == Way::write};
    case LoadKind::non_temporal_write: return way == Way::read ? Wanted{} : Wanted{1, true};
    case LoadKind::idle:
    case LoadKind::read_in_cache: break;
  }
  return {};
}

/// Of values that there are.
double middle_half(const std::vector<double>& values) {
  return analysis::quantile(values, 0.75) - analysis::quantile(values, 0.25);
}

/// The repetitions of one load, in one role.
struct Seen {
  std::size_t repetitions = 0;
  double seconds = 0;
  double wanted_bytes = 0;
  std::vector<double> bytes;   ///< of those that are known, as the counters have them
  std::vector<double> rates;   ///< bytes a second
  std::vector<double> shares;  ///< of what was moved, idle taken off; none where nothing is
};

using SeenByLoad = std::map<Load, Seen>;

/// What a count of requests is to be multiplied with; others are bytes already.
double bytes_of_one(Role role) { return role == Role::uncalibrated ? stated_request_bytes : 1; }

SeenByLoad seen_of(std::span<const Repetition> repetitions, Role role, Way way) {
  SeenByLoad by_load;
  for (const auto& [known, traffic] : repetitions) {
    Seen& seen = by_load[known.load];
    ++seen.repetitions;
    seen.seconds += traffic.seconds;
    seen.wanted_bytes += wanted_of(way, known.load.kind).share * known.moved_bytes;
    if (!traffic.amounts[role]) continue;
    seen.bytes.push_back(*traffic.amounts[role] * bytes_of_one(role));
    seen.rates.push_back(seen.bytes.back() / traffic.seconds);
  }
  const auto idle = by_load.find(Load{});
  if (idle == by_load.end() || idle->second.rates.empty()) return by_load;
  const double idle_rate = analysis::quantile(idle->second.rates, 0.5);
  for (const auto& [known, traffic] : repetitions) {
    const double wanted = wanted_of(way, known.load.kind).share * known.moved_bytes;
    if (!(wanted > 0) || !traffic.amounts[role]) continue;
    const double bytes = *traffic.amounts[role] * bytes_of_one(role);
    by_load[known.load].shares.push_back((bytes - idle_rate * traffic.seconds) / wanted);
  }
  return by_load;
}

/// What a verdict is read from.
struct Judged {
  std::vector<double> shares;   ///< of all loads
  std::vector<double> medians;  ///< of each load
  double slowest_rate = 0;      ///< bytes a second that the slowest of them moved
  bool known = true;
  bool nothing = true;
  bool steady = true;
};

Judged judged_of(const SeenByLoad& by_load, Way way) {
  Judged judged;
  for (const auto& [load, seen] : by_load) {
    if (!wanted_of(way, load.kind).judged || seen.wanted_bytes <= 0) continue;
    if (seen.shares.empty() || 2 * seen.shares.size() < seen.repetitions) {
      judged.known = false;
      continue;
    }
    const double rate = seen.wanted_bytes / seen.seconds;
    judged.slowest_rate = judged.medians.empty() ? rate : std::min(judged.slowest_rate, rate);
    judged.medians.push_back(analysis::quantile(seen.shares, 0.5));
    judged.shares.insert(judged.shares.end(), seen.shares.begin(), seen.shares.end());
    judged.nothing = judged.nothing && std::ranges::all_of(seen.bytes, [](double bytes) { return bytes == 0; });
    const double scale = std::max(std::abs(judged.medians.back()), 2 * steady_within);
    judged.steady = judged.steady && middle_half(seen.shares) <= steady_within * scale;
  }
  judged.known = judged.known && !judged.medians.empty();
  return judged;
}

/// Whether other programs moved much at times while nothing was asked of memory, beside what was moved then.
bool idle_is_unsteady(const SeenByLoad& by_load, double slowest_rate) {
  const auto idle = by_load.find(Load{});
  return idle != by_load.end() && !idle->second.rates.empty() &&
         middle_half(idle->second.rates) > exact_within * slowest_rate;
}

/// Whether it counts much while the CPU stays in its own cache.
bool sees_the_cache(const SeenByLoad& by_load, double idle_rate, double slowest_rate) {
  return std::ranges::any_of(by_load, [&](const auto& one) {
    const auto& [load, seen] = one;
    return load.kind == LoadKind::read_in_cache && !seen.rates.empty() &&
           analysis::quantile(seen.rates, 0.5) - idle_rate > steady_within * slowest_rate;
  });
}

bool is_near(double value, double wanted) { return std::abs(value / wanted - 1) <= exact_within; }

Verdict verdict_of(const CheckedRole& checked, const SeenByLoad& by_load, const Judged& judged) {
  if (!judged.known) return checked.labels.contains(Label::reads_zero) ? Verdict::counts_nothing : Verdict::not_known;
  if (judged.nothing) return Verdict::counts_nothing;
  if (!judged.steady || idle_is_unsteady(by_load, judged.slowest_rate)) return Verdict::disturbed;
  const double share = checked.share->value;
  const auto [lowest, highest] = std::ranges::minmax(judged.medians);
  if (share < least_share || highest - lowest > steady_within * share) return Verdict::does_not_follow;
  if (sees_the_cache(by_load, checked.idle_gbps * 1e9, share * judged.slowest_rate)) return Verdict::does_not_follow;
  if (checked.role == Role::uncalibrated) return Verdict::calibrated;
  if (is_near(share, 1)) return Verdict::as_expected;
  if (is_near(share, 2) || is_near(share, 0.5)) return Verdict::other_beats;
  return stations_that_explain(checked) ? Verdict::stations_missing : Verdict::other_factor;
}

std::vector<CheckedLoad> loads_of(const SeenByLoad& by_load, Way way, double idle_rate) {
  std::vector<CheckedLoad> loads;
  for (const auto& [load, seen] : by_load) {
    CheckedLoad one{.load = load, .moved_bytes = seen.wanted_bytes};
    one.judged = wanted_of(way, load.kind).judged;
    if (!seen.rates.empty() && 2 * seen.rates.size() >= seen.repetitions) {
      double sum = 0;
      for (const double bytes : seen.bytes) sum += bytes;
      const double known = static_cast<double>(seen.rates.size()) / static_cast<double>(seen.repetitions);
      one.seen_bytes = sum / known - (load.kind == LoadKind::idle ? 0 : idle_rate * seen.seconds);
    }
    if (one.seen_bytes && !seen.shares.empty()) {
      one.share = SeenShare{.low = std::ranges::min(seen.shares),
                            .value = analysis::quantile(seen.shares, 0.5),
                            .high = std::ranges::max(seen.shares)};
    }
    loads.push_back(one);
  }
  return loads;
}

CheckedRole checked_role(std::span<const Repetition> repetitions, Role role, Way way) {
  CheckedRole checked{.role = role, .counting = repetitions.front().known.counting[role]};
  if (role == Role::uncalibrated) checked.counting.count_bytes = static_cast<unsigned>(stated_request_bytes);
  for (const auto& [known, traffic] : repetitions) {
    if (!wanted_of(way, known.load.kind).judged) continue;
    checked.labels.insert(traffic.labels.begin(), traffic.labels.end());
    checked.scale = std::max(checked.scale, traffic.scale);
  }
  const SeenByLoad by_load = seen_of(repetitions, role, way);
  const auto idle = by_load.find(Load{});
  if (idle != by_load.end() && !idle->second.rates.empty())
    checked.idle_gbps = analysis::quantile(idle->second.rates, 0.5) * 1e-9;
  checked.loads = loads_of(by_load, way, checked.idle_gbps * 1e9);
  const Judged judged = judged_of(by_load, way);
  if (judged.known) {
    const auto [low, high] = analysis::median_interval(judged.shares);
    checked.share = SeenShare{.low = low, .value = analysis::quantile(judged.shares, 0.5), .high = high};
  }
  checked.verdict = verdict_of(checked, by_load, judged);
  return checked;
}

}  // namespace

std::optional<StationsThatExplain> stations_that_explain(const CheckedRole& checked) {
  if (!checked.share || !(checked.share->low >= least_share)) return std::nullopt;
  const auto counted = static_cast<double>(checked.counting.counters);
  const double fewest = std::max(std::ceil(counted / checked.share->high * (1 - beside_the_load)), counted + 1);
  const double most = std::floor(counted / checked.share->low * (1 + beside_the_load));
  if (fewest > most) return std::nullopt;
  return StationsThatExplain{.fewest = static_cast<std::size_t>(fewest), .most = static_cast<std::size_t>(most)};
}

std::vector<CheckedRole> check_roles(std::span<const Repetition> repetitions) {
  std::vector<CheckedRole> checked;
  for (std::size_t place = 0; place < role_count && !repetitions.empty(); ++place) {
    const auto role = static_cast<Role>(place);
    const auto way = way_of(role);
    if (way && repetitions.front().known.counting[role].counters > 0)
      checked.push_back(checked_role(repetitions, role, *way));
  }
  return checked;
}

}  // namespace sonde::counters
