#include <fmt/format.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "analysis/size_curves.hpp"
#include "probes/bandwidth/bandwidth.hpp"

namespace sonde::probes {
namespace {

/// A number of groups is enough where it gets this share of the most that any number gets.
constexpr double enough_share = 0.95;
/// Numbers of groups differ by at least this ratio.
constexpr double min_groups_ratio = 1.125;

/// Two working sets between which bandwidth differs by less are in one level.
constexpr double one_level = 0.75;

/// A swept point in each level, where there is one the same as was chosen before the curve had so many points. All
/// groups walk over all of it (shared), so that every compute unit's nearest caches hold the same whatever the number
/// of groups; except in memory, where each has its own part: what one group read, another must not find in a cache.
std::vector<const Measurement*> footprints(std::span<const Measurement> known) {
  const std::vector<const Measurement*> shared = best_points(known, bandwidth_probe::level_words);
  const std::vector<const Measurement*> apart =
      best_points(known, with(bandwidth_probe::level_words, {.sharing = Sharing::separate}));
  const auto was_chosen = [known](const Measurement* one) {
    return std::ranges::any_of(known, [one](const Measurement& other) {
      return is_scaling(other.point) && other.point.words == one->point.words && other.point.x.bytes == bytes_of(*one);
    });
  };
  std::vector<const Measurement*> chosen;
  std::map<double, double> gbps_by_bytes;
  for (const Measurement* one : shared) gbps_by_bytes[bytes_of(*one)] = median_of(*one);
  std::vector<analysis::FlatStretch> stretches = analysis::flat_stretches(gbps_by_bytes, analysis::Trend::falls);
  // Noise cuts a level into several: the widest tell most.
  const auto width = [](const analysis::FlatStretch& one) { return one.last_bytes / one.first_bytes; };
  std::ranges::stable_sort(stretches, std::greater<>(), width);
  for (const analysis::FlatStretch& stretch : stretches) {
    if (stretch.last_bytes == gbps_by_bytes.rbegin()->first) continue;
    const double middle = std::sqrt(stretch.first_bytes * stretch.last_bytes);
    chosen.push_back(*std::ranges::min_element(shared, {}, [&](const Measurement* one) {
      const bool within = bytes_of(*one) >= stretch.first_bytes && bytes_of(*one) <= stretch.last_bytes;
      return std::pair(!(within && was_chosen(one)), std::abs(std::log(bytes_of(*one) / middle)));
    }));
  }
  if (!apart.empty()) {
    const double memory_gbps = median_of(*apart.back());
    const auto before = std::ranges::find_if(
        apart, [&](const Measurement* one) { return was_chosen(one) && median_of(*one) * one_level <= memory_gbps; });
    chosen.push_back(before == apart.end() ? apart.back() : *before);
  }
  std::erase_if(chosen, [](const Measurement* one) { return shape_at(*one).empty(); });
  return chosen;
}

using GbpsByGroups = std::map<double, double>;

GbpsByGroups gbps_by_groups(std::span<const Measurement> known, const Point& at) {
  GbpsByGroups found;
  for (const Measurement& one : known) {
    const bool here = is_scaling(one.point) && one.point.words == at.words && one.point.x.bytes == at.x.bytes;
    // Of several shapes the fastest tells what so many groups get.
    if (here) found[*one.point.x.groups] = std::max(found[*one.point.x.groups], median_of(one));
  }
  return found;
}

/// The most that any number gets; the map must not be empty.
double most_of(const GbpsByGroups& gbps) {
  return std::ranges::max_element(gbps, {}, &std::pair<const double, double>::second)->second;
}

/// The fewest groups that are enough; the map must not be empty.
GbpsByGroups::const_iterator enough(const GbpsByGroups& gbps) {
  const double most = most_of(gbps);
  return std::ranges::find_if(gbps, [most](const auto& entry) { return entry.second >= enough_share * most; });
}

std::vector<double> wanted_groups(const GbpsByGroups& gbps, std::uint32_t all) {
  std::vector<double> wanted;
  if (gbps.empty()) {
    for (double groups = 1; groups < all; groups *= 2) wanted.push_back(groups);
    wanted.push_back(all);
    return wanted;
  }
  const auto upper = enough(gbps);
  if (upper == gbps.begin()) return {};
  const double lower = std::prev(upper)->first;
  const double between = std::round(std::sqrt(lower * upper->first));
  if (upper->first > min_groups_ratio * lower && between > lower && between < upper->first) wanted.push_back(between);
  return wanted;
}

/// The numbers that another run may find to be enough: any behind the last that surely is not, up to the first that
/// surely is.
analysis::Estimate groups_in_other_runs(const measure::SeenInRuns<GbpsByGroups>& seen) {
  const GbpsByGroups& gbps = seen.all();
  analysis::Estimate groups{.low = 1, .value = enough(gbps)->first, .high = gbps.rbegin()->first};
  for (const auto& [count, of_all] : gbps) {
    const analysis::Estimate share =
        seen.margin([count = count](const GbpsByGroups& one) { return one.at(count) / most_of(one); });
    if (share.low >= enough_share) {
      groups.high = count;
      break;
    }
    if (share.high < enough_share && count < groups.value) groups.low = count + 1;
  }
  return groups;
}

}  // namespace

std::vector<Point> scaling_points(std::span<const Measurement> known) {
  std::vector<Point> points;
  for (const Measurement* footprint : footprints(known)) {
    const Point& swept = footprint->point;
    const auto bytes = static_cast<std::uint64_t>(swept.x.bytes.value());
    const workloads::StreamShape all =
        workloads::fitted(workloads::shape_of(shape_at(*footprint)), swept.words.sharing.value(), bytes);
    for (const double groups : wanted_groups(gbps_by_groups(known, swept), all.groups)) {
      Point point = swept;
      point.shape = shape_at(*footprint);
      point.x.groups = groups;
      point.shape["groups"] = groups;
      point.visits = measure::usual_visits;
      points.push_back(point);
    }
  }
  return points;
}

std::vector<Finding> saturations(std::span<const Measurement> measurements) {
  std::map<std::pair<double, Words>, const Point*> seen;  // nearest first
  for (const Measurement& one : measurements) {
    if (is_scaling(one.point)) seen.emplace(std::pair(*one.point.x.bytes, one.point.words), &one.point);
  }
  std::vector<Finding> found;
  for (const auto& [where, point] : seen) {
    const measure::SeenInRuns<GbpsByGroups> visits(
        measurements, [at = point](std::span<const Measurement> some) { return gbps_by_groups(some, *at); });
    const GbpsByGroups& gbps = visits.all();
    if (gbps.size() < 2) continue;
    const auto upper = enough(gbps);
    const analysis::Estimate groups = groups_in_other_runs(visits);
    std::string evidence = fmt::format(
        "At {} {:.0f} of {:.0f} work-groups get {} GB/s, {:.0f} % of the most that any number gets; one gets "
        "{}",
        size_text(where.first), groups.value, gbps.rbegin()->first, analysis::number_text(upper->second),
        100 * upper->second / most_of(gbps), analysis::number_text(gbps.begin()->second));
    if (upper != gbps.begin() && std::prev(upper) != gbps.begin())
      evidence +=
          fmt::format(", {:.0f} get {}", std::prev(upper)->first, analysis::number_text(std::prev(upper)->second));
    evidence += ".";
    if (groups.low < groups.high)
      evidence += fmt::format(" Another run may find that {:.0f} to {:.0f} are enough.", groups.low, groups.high);
    found.push_back(finding_of(bandwidth_probe::saturated_by, where.second, groups, evidence));
  }
  return found;
}

}  // namespace sonde::probes
