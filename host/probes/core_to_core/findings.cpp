#include <fmt/format.h>

#include <utility>

#include "analysis/number_text.hpp"
#include "probes/core_to_core/core_to_core.hpp"

namespace sonde::probes::core_to_core_probe {
namespace {

/// All pairs of one placement that did one thing, of which the medians are compared.
struct Group {
  std::vector<double> medians = {};
  std::vector<double> at_other_side = {};                     ///< those with the memory on the node of `to`
  std::map<std::pair<double, double>, double> of_pairs = {};  ///< by `from` and `to`
  const Measurement* least = nullptr;
  const Measurement* most = nullptr;
  double widest = 1;  ///< the most that a pair's slowest line or trial is of its fastest

  [[nodiscard]] double median() const { return analysis::quantile(medians, 0.5); }
};
using Groups = std::map<Words, Group>;

/// Whether it is about a pair of CPUs. Split locks have no placement; of queues those with the smaller chunks count,
/// which are the study's.
bool counts(const Measurement& one) {
  if (one.values.empty() || !one.point.words.placement) return false;
  return !one.point.x.bytes || one.point.words.pattern || *one.point.x.bytes <= queue_chunks * 512.0;
}

Groups groups_of(std::span<const Measurement> measurements) {
  Groups groups;
  for (const Measurement& one : measurements) {
    if (!counts(one)) continue;
    const double median = median_of(one);
    Group& group = groups[one.point.words];
    if (one.point.x.node) {
      group.at_other_side.push_back(median);
      continue;
    }
    group.medians.push_back(median);
    group.of_pairs[{one.point.x.from.value(), one.point.x.to.value()}] = median;
    if (group.least == nullptr || median < median_of(*group.least)) group.least = &one;
    if (group.most == nullptr || median > median_of(*group.most)) group.most = &one;
    const auto [least, most] = std::ranges::minmax(one.values);
    if (least > 0) group.widest = std::max(group.widest, most / least);
  }
  std::erase_if(groups, [](const auto& entry) { return entry.second.medians.empty(); });
  return groups;
}

/// How many times as long pairs took at once with others as alone: the median over the pairs that went both ways.
double times_alone(const Group& at_once, const Groups& all, Words words) {
  words.beside.reset();
  const auto alone = all.find(words);
  if (alone == all.end()) return 0;
  std::vector<double> ratios;
  for (const auto& [pair, median] : alone->second.of_pairs) {
    const auto found = at_once.of_pairs.find(pair);
    if (found != at_once.of_pairs.end()) ratios.push_back(found->second / median);
  }
  return ratios.empty() ? 0 : analysis::quantile(ratios, 0.5);
}

std::string cpus_of(const Measurement& one) {
  return fmt::format("CPU {:g} to CPU {:g}", *one.point.x.from, *one.point.x.to);
}

/// What lies between two CPUs, by placement.
constexpr std::array places{"cores of the same cluster", "cores of different clusters", "cores of different nodes",
                            "the two hardware threads of a core", "cores of the same node"};

/// The kind of a finding, and what its sentence says was measured.
std::pair<const FindingKind*, std::string> describe(const Words& words) {
  if (words.exchange) {
    const bool swap = words.exchange == Exchange::compare_and_swap;
    return {&exchange_latency,
            fmt::format("a round trip of a line {} took", swap ? "by compare-and-swap" : "by stores to two lines")};
  }
  if (words.line) {
    return {&held_line_latency, fmt::format("a load of a {} line that the other core held took",
                                            words.line == LineState::clean ? "clean" : "modified")};
  }
  const std::string_view role = measure::word_of(words.role.value_or(QueueRole::reader));
  if (words.pattern) {
    return {&copy_rate, fmt::format("the {} of a copy that is written whole before it is read moved", role)};
  }
  return {&queue_rate, fmt::format("the {} of a queue of chunks of 512 bytes moved", role)};
}

/// A sentence that compares pairs at once with the same pairs alone.
std::string beside_alone(double times) {
  constexpr double tolerated = 1.1;
  if (times == 0) return "";
  std::string text =
      fmt::format(" Several pairs went at once: those that also went alone took {:.2f} times as long as then.", times);
  if (times > tolerated || times < 1 / tolerated)
    text += " So pairs were in each other's way, and what a pair takes alone is the other finding.";
  return text;
}

}  // namespace

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  const measure::SeenInRuns<Groups> seen(measurements, groups_of);
  Conclusion conclusion;
  for (const auto& [words, group] : seen.all()) {
    const auto [kind, what] = describe(words);
    const std::string& unit = group.least->unit;
    const auto median = [&words = words](const Groups& groups) {
      const auto found = groups.find(words);
      return found == groups.end() ? 0.0 : found->second.median();
    };
    std::string evidence = fmt::format("Between {} {} {} {}", places.at(static_cast<std::size_t>(*words.placement)),
                                       what, analysis::number_text(group.median()), unit);
    const std::size_t pairs = group.of_pairs.size();
    evidence += pairs > 1 ? fmt::format(", the median of {} ordered pairs; from {} ({}) to {} ({}).", pairs,
                                        analysis::number_text(median_of(*group.least)), cpus_of(*group.least),
                                        analysis::number_text(median_of(*group.most)), cpus_of(*group.most))
                          : fmt::format(" ({}).", cpus_of(*group.least));
    Finding& finding =
        conclusion.findings.emplace_back(finding_of(*kind, words, seen.estimate(median), std::move(evidence)));
    if (words.exchange) {
      finding.evidence += fmt::format(
          " Among the lines of one pair the slowest took up to {:.2f} times as long as the fastest.", group.widest);
    }
    if (words.beside) {
      const double times = times_alone(group, seen.all(), words);
      finding.evidence += beside_alone(times);
      if (times > 0) finding.details["times_alone"] = times;
    }
    if (group.at_other_side.empty()) continue;
    const double at_other_side = analysis::quantile(group.at_other_side, 0.5);
    finding.evidence +=
        fmt::format(" With the memory on the second CPU's node, where else it is on the first one's: {} {}.",
                    analysis::number_text(at_other_side), unit);
    finding.details["memory_at_other_side"] = at_other_side;
  }
  return conclusion;
}

}  // namespace sonde::probes::core_to_core_probe
