#include "counters/selfcheck/self_check.hpp"

#include <cmath>
#include <map>
#include <numeric>

namespace sonde::counters {
namespace {

/// The tolerance of an exact count: prefetches past the end, page tables and refreshes add less.
constexpr double exact_within = 0.05;
/// The share of the load that they usually add.
constexpr double beside_the_load = 0.02;
/// Quartiles of repetitions, and medians of loads, that are further apart prove nothing.
constexpr double steady_within = 0.10;
/// A counter that sees a smaller share of the load does not follow it.
constexpr double least_share = 0.05;
/// Bytes of a request of Zen 1 to 3 in Linux's table of events; the counters are known to miss some requests.
constexpr double stated_request_bytes = 64;

/// A role that counts the CPU's reads, its writes, or both; no load makes what the others count.
struct CpuRole {
  Role role;
  const char* title;
  bool reads;
  bool writes;
};
constexpr CpuRole cpu_roles[] = {
    {Role::fabric_read, "fabric, read", true, false},   {Role::fabric_write, "fabric, written", false, true},
    {Role::memory_read, "memory, read", true, false},   {Role::memory_write, "memory, written", false, true},
    {Role::cpu_read, "CPU, read", true, false},         {Role::cpu_write, "CPU, written", false, true},
    {Role::cpu_requests, "CPU, both ways", true, true}, {Role::uncalibrated, "fabric, both ways", true, true}};

/// The share of a load's bytes that a role should count, and whether that is certain enough to judge it: it is up to
/// the processor whether an ordinary store reads its line first.
struct ExpectedShare {
  double share = 0;
  bool judged = false;
};

ExpectedShare expected_share(const CpuRole& counted, LoadKind kind) {
  switch (kind) {
    case LoadKind::read: return {counted.reads ? 1.0 : 0.0, counted.reads};
    case LoadKind::write: return {counted.reads && counted.writes ? 2.0 : 1.0, !counted.reads};
    case LoadKind::non_temporal_write: return {counted.writes ? 1.0 : 0.0, counted.writes};
    default: return {};
  }
}

double interquartile_range(const std::vector<double>& values) {
  return analysis::quantile(values, 0.75) - analysis::quantile(values, 0.25);
}

/// The repetitions of one load, as one role counted them.
struct LoadCounts {
  std::size_t repetitions = 0;
  double seconds = 0;
  double expected_bytes = 0;
  std::vector<double> bytes;   ///< counted, where they are known
  std::vector<double> rates;   ///< bytes a second
  std::vector<double> shares;  ///< counted without the idle rate over expected; none where nothing is expected
};

using CountsByLoad = std::map<Load, LoadCounts>;

/// Bytes a second that were counted while no load ran, by repetition; none where they are not known.
std::vector<double> idle_rates(const CountsByLoad& by_load) {
  const auto idle = by_load.find(Load{});
  return idle == by_load.end() ? std::vector<double>() : idle->second.rates;
}

/// The factor from an amount to bytes: other roles than `uncalibrated` count bytes already.
double bytes_of_amount(Role role) { return role == Role::uncalibrated ? stated_request_bytes : 1; }

CountsByLoad counts_by_load(std::span<const Repetition> repetitions, const CpuRole& counted) {
  const Role role = counted.role;
  CountsByLoad by_load;
  for (const auto& [known, traffic] : repetitions) {
    LoadCounts& counts = by_load[known.load];
    ++counts.repetitions;
    counts.seconds += traffic.seconds;
    counts.expected_bytes += expected_share(counted, known.load.kind).share * known.moved_bytes;
    if (!traffic.amounts[role]) continue;
    counts.bytes.push_back(*traffic.amounts[role] * bytes_of_amount(role));
    counts.rates.push_back(counts.bytes.back() / traffic.seconds);
  }
  const std::vector<double> idle = idle_rates(by_load);
  if (idle.empty()) return by_load;
  const double idle_rate = analysis::quantile(idle, 0.5);
  for (const auto& [known, traffic] : repetitions) {
    const double expected = expected_share(counted, known.load.kind).share * known.moved_bytes;
    if (!(expected > 0) || !traffic.amounts[role]) continue;
    const double bytes = *traffic.amounts[role] * bytes_of_amount(role);
    by_load[known.load].shares.push_back((bytes - idle_rate * traffic.seconds) / expected);
  }
  return by_load;
}

/// The repetitions of all loads that are judged.
struct JudgedShares {
  std::vector<double> shares;   ///< of all loads
  std::vector<double> medians;  ///< of each load
  double slowest_rate = 0;      ///< bytes a second of the slowest load
  bool known = true;
  bool nothing = true;
  bool steady = true;
};

JudgedShares judged_of(const CountsByLoad& by_load, const CpuRole& counted) {
  JudgedShares judged;
  for (const auto& [load, counts] : by_load) {
    if (!expected_share(counted, load.kind).judged || counts.expected_bytes <= 0) continue;
    if (counts.shares.empty() || 2 * counts.shares.size() < counts.repetitions) {
      judged.known = false;
      continue;
    }
    const double rate = counts.expected_bytes / counts.seconds;
    judged.slowest_rate = judged.medians.empty() ? rate : std::min(judged.slowest_rate, rate);
    judged.medians.push_back(analysis::quantile(counts.shares, 0.5));
    judged.shares.insert(judged.shares.end(), counts.shares.begin(), counts.shares.end());
    judged.nothing = judged.nothing && std::ranges::all_of(counts.bytes, [](double bytes) { return bytes == 0; });
    const double scale = std::max(std::abs(judged.medians.back()), 2 * steady_within);
    judged.steady = judged.steady && interquartile_range(counts.shares) <= steady_within * scale;
  }
  judged.known = judged.known && !judged.medians.empty();
  return judged;
}

/// Whether the role counts much while a load stays in the CPU's own cache.
bool counts_cache_hits(const CountsByLoad& by_load, double idle_rate, double slowest_rate) {
  return std::ranges::any_of(by_load, [&](const auto& one) {
    const auto& [load, counts] = one;
    return load.kind == LoadKind::read_in_cache && !counts.rates.empty() &&
           analysis::quantile(counts.rates, 0.5) - idle_rate > steady_within * slowest_rate;
  });
}

std::optional<std::pair<std::size_t, std::size_t>> stations_that_explain(const SeenShare& share, std::size_t counters) {
  if (!(share.low >= least_share)) return std::nullopt;
  const auto counted = static_cast<double>(counters);
  const double fewest = std::max(std::ceil(counted / share.high * (1 - beside_the_load)), counted + 1);
  const double most = std::floor(counted / share.low * (1 + beside_the_load));
  if (fewest > most) return std::nullopt;
  return std::pair(static_cast<std::size_t>(fewest), static_cast<std::size_t>(most));
}

bool is_near(double value, double expected) { return std::abs(value / expected - 1) <= exact_within; }

CheckVerdict verdict_of(const CheckedRole& checked, const CountsByLoad& by_load, const JudgedShares& judged) {
  if (!judged.known)
    return checked.labels.contains(Label::reads_zero) ? CheckVerdict::counts_nothing : CheckVerdict::not_known;
  if (judged.nothing) return CheckVerdict::counts_nothing;
  // Other programs' traffic may vary while no load runs, but by little beside the slowest load.
  const std::vector<double> idle = idle_rates(by_load);
  const bool idle_varies = !idle.empty() && interquartile_range(idle) > exact_within * judged.slowest_rate;
  if (!judged.steady || idle_varies) return CheckVerdict::disturbed;
  const double share = checked.share->value;
  const auto [lowest, highest] = std::ranges::minmax(judged.medians);
  if (share < least_share || highest - lowest > steady_within * share) return CheckVerdict::does_not_follow;
  if (counts_cache_hits(by_load, checked.idle_gbps * 1e9, share * judged.slowest_rate))
    return CheckVerdict::does_not_follow;
  if (checked.role == Role::uncalibrated) return CheckVerdict::calibrated;
  if (is_near(share, 1)) return CheckVerdict::as_expected;
  if (is_near(share, 2) || is_near(share, 0.5)) return CheckVerdict::other_beats;
  return checked.stations ? CheckVerdict::stations_missing : CheckVerdict::other_factor;
}

std::vector<CheckedLoad> loads_of(const CountsByLoad& by_load, const CpuRole& counted, double idle_rate) {
  std::vector<CheckedLoad> loads;
  for (const auto& [load, counts] : by_load) {
    CheckedLoad& one = loads.emplace_back();
    one.load = load;
    one.moved_bytes = counts.expected_bytes;
    one.judged = expected_share(counted, load.kind).judged;
    if (counts.rates.empty() || 2 * counts.rates.size() < counts.repetitions) continue;
    const double sum = std::accumulate(counts.bytes.begin(), counts.bytes.end(), 0.0);
    const double known = static_cast<double>(counts.rates.size()) / static_cast<double>(counts.repetitions);
    one.seen_bytes = sum / known - (load.kind == LoadKind::idle ? 0 : idle_rate * counts.seconds);
    if (counts.shares.empty()) continue;
    const auto [low, high] = std::ranges::minmax(counts.shares);
    one.share = SeenShare{.low = low, .value = analysis::quantile(counts.shares, 0.5), .high = high};
  }
  return loads;
}

CheckedRole checked_role(std::span<const Repetition> repetitions, const CpuRole& counted) {
  CheckedRole checked{
      .role = counted.role, .title = counted.title, .counting = repetitions.front().known.counting[counted.role]};
  if (counted.role == Role::uncalibrated) checked.counting.count_bytes = static_cast<unsigned>(stated_request_bytes);
  for (const auto& [known, traffic] : repetitions) {
    if (!expected_share(counted, known.load.kind).judged) continue;
    checked.labels.insert(traffic.labels.begin(), traffic.labels.end());
    checked.scale = std::max(checked.scale, traffic.scale);
  }
  const CountsByLoad by_load = counts_by_load(repetitions, counted);
  if (const std::vector<double> idle = idle_rates(by_load); !idle.empty())
    checked.idle_gbps = analysis::quantile(idle, 0.5) * 1e-9;
  checked.loads = loads_of(by_load, counted, checked.idle_gbps * 1e9);
  const JudgedShares judged = judged_of(by_load, counted);
  if (judged.known) {
    const auto [low, high] = analysis::median_interval(judged.shares);
    checked.share = SeenShare{.low = low, .value = analysis::quantile(judged.shares, 0.5), .high = high};
    checked.stations = stations_that_explain(*checked.share, checked.counting.counters);
  }
  checked.verdict = verdict_of(checked, by_load, judged);
  return checked;
}

}  // namespace

std::vector<CheckedRole> check_roles(std::span<const Repetition> repetitions) {
  std::vector<CheckedRole> checked;
  for (const CpuRole& counted : cpu_roles) {
    if (!repetitions.empty() && repetitions.front().known.counting[counted.role].counters > 0)
      checked.push_back(checked_role(repetitions, counted));
  }
  return checked;
}

}  // namespace sonde::counters
