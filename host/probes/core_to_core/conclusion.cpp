#include "probes/core_to_core/conclusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/core_to_core/plan.hpp"
#include "probes/core_to_core/split_lock_plan.hpp"

namespace sonde::probes {
namespace {

using Series = std::map<std::string, std::string>;

/// All pairs of one placement that did one thing, of which the medians are compared.
struct Group {
  double median = 0;
  std::map<std::pair<double, double>, double> of_pairs = {};  ///< by `from` and `to`
  const Measurement* least = nullptr;
  const Measurement* most = nullptr;
  double widest = 1;           ///< the most that a pair's slowest line or trial is of its fastest
  double at_other_side = 0;    ///< the median with the memory on the node of `to`; 0 where that was not tried
  std::size_t other_side = 0;  ///< pairs of that
};
using Groups = std::map<Series, Group>;

/// Of a queue only the smaller chunks, which are the study's.
bool counts(const Measurement& one) {
  if (one.values.empty() || is_of_split_locks(one.point)) return false;
  const auto bytes = one.point.x.find("bytes");
  return bytes == one.point.x.end() || one.point.series.contains("pattern") || bytes->second <= queue_chunks * 512.0;
}

Groups groups_of(std::span<const Measurement> measurements) {
  std::map<Series, std::vector<double>> medians;
  std::map<Series, std::vector<double>> at_other_side;
  Groups groups;
  for (const Measurement& one : measurements) {
    if (!counts(one)) continue;
    const double median = median_of(one);
    if (one.point.x.contains("node")) {
      at_other_side[one.point.series].push_back(median);
      continue;
    }
    Group& group = groups[one.point.series];
    medians[one.point.series].push_back(median);
    group.of_pairs[{one.point.x.at("from"), one.point.x.at("to")}] = median;
    if (group.least == nullptr || median < median_of(*group.least)) group.least = &one;
    if (group.most == nullptr || median > median_of(*group.most)) group.most = &one;
    const auto [least, most] = std::ranges::minmax(one.values);
    if (least > 0) group.widest = std::max(group.widest, most / least);
  }
  for (auto& [series, group] : groups) {
    group.median = analysis::quantile(medians.at(series), 0.5);
    const auto found = at_other_side.find(series);
    if (found == at_other_side.end()) continue;
    group.at_other_side = analysis::quantile(found->second, 0.5);
    group.other_side = found->second.size();
  }
  return groups;
}

/// Of the pairs that went both alone and at once with others, the median of how many times as much they took.
double times_alone(const Group& at_once, const Groups& all, Series series) {
  series.erase("fabric");
  const auto alone = all.find(series);
  if (alone == all.end()) return 0;
  std::vector<double> ratios;
  for (const auto& [pair, median] : alone->second.of_pairs) {
    const auto found = at_once.of_pairs.find(pair);
    if (found != at_once.of_pairs.end()) ratios.push_back(found->second / median);
  }
  return ratios.empty() ? 0 : analysis::quantile(ratios, 0.5);
}

std::string cpus_of(const Measurement& one) {
  return fmt::format("CPU {:g} to CPU {:g}", one.point.x.at("from"), one.point.x.at("to"));
}

/// "two CPUs of the same cluster".
std::string where(const Series& series) {
  const std::string& placement = series.at("placement");
  if (placement == "same-core") return "the two hardware threads of a core";
  if (placement == "same-cluster") return "cores of the same cluster";
  return placement == "other-node" ? "cores of different nodes" : "cores of different clusters";
}

/// The word of a finding, and what its sentence says was measured.
std::pair<const char*, std::string> said_of(const Series& series) {
  if (series.contains("exchange")) {
    const bool swap = series.at("exchange") == "compare-and-swap";
    return {"exchange-latency",
            fmt::format("a round trip of a line {} took", swap ? "by compare-and-swap" : "by stores to two lines")};
  }
  if (series.contains("line")) {
    return {"held-line-latency", fmt::format("a load of a {} line that the other core held took", series.at("line"))};
  }
  const std::string& role = series.at("role");
  if (series.contains("pattern"))
    return {"copy-rate", fmt::format("the {} of a copy that is written whole before it is read moved", role)};
  return {"queue-rate", fmt::format("the {} of a queue of chunks of 512 bytes moved", role)};
}

/// What pairs at once say of the same pairs alone.
std::string beside_alone(double times) {
  constexpr double tolerated = 1.1;
  if (times == 0) return "";
  std::string text =
      fmt::format(" Several pairs went at once: those that also went alone took {:.2f} times as long as then.", times);
  if (times > tolerated || times < 1 / tolerated)
    text += " So pairs were in each other's way, and what a pair takes alone is the other finding.";
  return text;
}

// --- split locks ---

/// One line's measurement and two lines', by their addresses, of one thing.
struct OneAndTwoLines {
  const Measurement* one = nullptr;
  const Measurement* two = nullptr;
};

std::map<std::pair<Series, double>, OneAndTwoLines> by_thing(std::span<const Measurement> measurements) {
  std::map<std::pair<Series, double>, OneAndTwoLines> things;
  for (const Measurement& one : measurements) {
    if (!is_of_split_locks(one.point) || one.values.empty()) continue;
    const auto bytes = one.point.x.find("bytes");
    OneAndTwoLines& thing = things[{one.point.series, bytes == one.point.x.end() ? 0 : bytes->second}];
    (one.point.x.at("address") == 0 ? thing.one : thing.two) = &one;
  }
  return things;
}

std::string about_mitigation(const Measurement& one) {
  const auto told = one.state.shape.find("split_lock_mitigate");
  if (told == one.state.shape.end() || told->second == 0) return "";
  return " The kernel's split_lock_mitigate was on, and may have a part in it.";
}

}  // namespace

std::vector<Finding> findings_of_pairs(std::span<const Measurement> measurements) {
  const measure::SeenByVisit<Groups> seen(measurements, groups_of);
  std::vector<Finding> findings;
  for (const auto& [series, group] : seen.all()) {
    const auto [word, what] = said_of(series);
    const std::string unit = group.least->unit;
    Finding finding{.series = series, .name = word, .unit = unit};
    measure::state(finding, seen.estimate([&series = series](const Groups& groups) {
      const auto found = groups.find(series);
      return found == groups.end() ? 0.0 : found->second.median;
    }));
    finding.evidence = fmt::format("Between {} {} {:.3g} {}", where(series), what, group.median, unit);
    const std::size_t pairs = group.of_pairs.size();
    finding.evidence += pairs > 1 ? fmt::format(", the median of {} ordered pairs; from {:.3g} ({}) to {:.3g} ({}).",
                                                pairs, median_of(*group.least), cpus_of(*group.least),
                                                median_of(*group.most), cpus_of(*group.most))
                                  : fmt::format(" ({}).", cpus_of(*group.least));
    if (series.contains("exchange")) {
      finding.evidence +=
          fmt::format(" Over the lines of one pair the slowest took up to {:.2f} times the fastest.", group.widest);
    }
    if (series.contains("fabric")) {
      const double times = times_alone(group, seen.all(), series);
      finding.evidence += beside_alone(times);
      if (times > 0) finding.details["times_alone"] = times;
    }
    if (group.other_side > 0) {
      finding.evidence +=
          fmt::format(" With the memory on the second one's node, where else it is on the first one's: {:.3g} {}.",
                      group.at_other_side, unit);
      finding.details["memory_at_other_side"] = group.at_other_side;
    }
    findings.push_back(finding);
  }
  return findings;
}

std::vector<Finding> findings_of_split_locks(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  const auto things = by_thing(measurements);
  for (const auto& [thing, lines] : things) {
    const auto& [series, bytes] = thing;
    if (lines.one == nullptr || lines.two == nullptr) continue;
    const double one = median_of(*lines.one);
    const double two = median_of(*lines.two);
    if (series.contains("exchange")) {
      Finding finding{.series = series, .name = "split-lock-latency", .value = two, .unit = "ns"};
      finding.evidence = fmt::format(
                             "A locked operation of one core took {:.3g} ns within a line and {:.3g} ns across two: "
                             "{:.3g} times as long.",
                             one, two, two / one) +
                         about_mitigation(*lines.two);
      findings.push_back(finding);
      continue;
    }
    Series alone = series;
    alone["fabric"] = "idle";
    const auto idle = things.find({alone, bytes});
    if (series.at("fabric") == "idle" || idle == things.end() || idle->second.two == nullptr) continue;
    const double without = median_of(*idle->second.two);
    const bool loads = series.contains("role");
    Finding finding{.series = series, .name = "split-lock-loss", .unit = "ratio"};
    finding.value = loads ? two / without : without / two;
    finding.details["bytes"] = bytes;
    finding.evidence = fmt::format(
        "In {} another core {} {:.3g} {} while nobody locked, {:.3g} while {} locked a word within a line, and {:.3g} "
        "while it lay across two: {:.3g} times {}.",
        size_text(bytes), loads ? "waited for a load" : "read", without, lines.two->unit, one,
        lines.two->point.x.at("cpu_threads") == 1 ? "a core" : "two cores", two, *finding.value,
        loads ? "as long" : "less");
    finding.evidence += about_mitigation(*lines.two);
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace sonde::probes
