#include "analysis/number_text.hpp"
#include "measure/level_findings.hpp"

#include <fmt/format.h>

#include <iterator>

#include "analysis/statistics.hpp"
#include "measure/other_runs.hpp"

namespace sonde::measure {
namespace {

/// Two levels are one where their sizes differ by less than this factor: levels of one device are further apart than
/// two probes are about one of them.
constexpr double may_be_one = 4;

double size_of(const FoundLevel& level) { return level.found.bytes->value; }
double apart(const FoundLevel& one, const FoundLevel& other) {
  return std::max(size_of(one), size_of(other)) / std::min(size_of(one), size_of(other));
}

bool is_memory(const FoundLevel& level) { return !level.found.bytes; }

/// The levels of a curve without memory, which only the last one may be.
template <typename Level>
std::span<Level> caches_of(std::span<Level> levels) {
  return levels.first(levels.size() - (is_memory(levels.back()) ? 1 : 0));
}

/// The order of two levels that do not match; memory comes last.
bool comes_before(const FoundLevel& latency, const FoundLevel& bandwidth) {
  return is_memory(bandwidth) || (!is_memory(latency) && size_of(latency) < size_of(bandwidth));
}

/// Whether a curve may have a level of this one's size that it does not show, as it was disturbed there.
bool may_be_hidden(const FoundLevel& level, std::span<const FoundLevel> curve) {
  const auto hides = [&](const FoundLevel& one) {
    if (!one.found.ends_disturbed) return false;
    if (one.found.bytes) return one.found.bytes->low <= size_of(level) && size_of(level) <= one.found.bytes->high;
    return curve.size() < 2 || size_of(level) > size_of(curve[curve.size() - 2]);
  };
  const bool begins_later = curve.front().level > 1 && comes_before(level, curve.front());
  return begins_later || std::ranges::any_of(curve, hides);
}

/// A difference between two curves: one's number over the other's, and a text with both.
struct Difference {
  analysis::Estimate ratio;
  std::string words;
};

/// The distance of a ratio's interval from 1; an interval that holds 1 is no difference.
double distance_from_one(const analysis::Estimate& ratio) { return std::max(ratio.low, 1 / ratio.high); }
bool is_apart(const Difference& one) { return distance_from_one(one.ratio) > 1; }

analysis::Estimate ratio_of(const analysis::Bracket& one, const analysis::Bracket& other) {
  return {one.low / other.high, one.value / other.value, one.high / other.low};
}

std::string size_with_bounds(const analysis::Bracket& bytes) {
  return fmt::format("{} ({} to {})", size_text(bytes.value), size_text(bytes.low), size_text(bytes.high));
}

/// The differences in size of the levels that both have.
std::vector<Difference> size_differences(std::span<const LevelOfTwo> rows, std::string_view by_one,
                                         std::string_view by_other) {
  std::vector<Difference> found;
  for (const LevelOfTwo& row : rows) {
    if (row.latency == nullptr || row.bandwidth == nullptr || !row.latency->found.bytes) continue;
    const analysis::Bracket& one = *row.latency->found.bytes;
    const analysis::Bracket& other = *row.bandwidth->found.bytes;
    found.push_back({ratio_of(one, other), fmt::format("{} by {}, {} by {}", size_with_bounds(one), by_one,
                                                       size_with_bounds(other), by_other)});
  }
  return found;
}

/// The difference that a level makes that only one curve has: it is as certain as that the next level is slower.
Difference further_level(const FoundLevel& level, const FoundLevel& next, std::string_view whose) {
  const analysis::Estimate slower = ratio_of(next.found.latency_ns, level.found.latency_ns);
  return {slower, fmt::format("only {} has one of {}, beyond which a load takes {} times as long ({} to {})", whose,
                              size_text(size_of(level)), analysis::number_text(slower.value),
                              analysis::number_text(slower.low), analysis::number_text(slower.high))};
}

/// A finding with the ratio that is furthest from 1, and all differences in this order; nothing where no interval
/// excludes 1.
std::optional<Finding> furthest_apart(const FindingKind& kind, const Words& words, std::vector<Difference> differences,
                                      std::string evidence) {
  std::erase_if(differences, [](const Difference& one) { return !is_apart(one); });
  if (differences.empty()) return std::nullopt;
  std::ranges::stable_sort(differences, std::greater<>(),
                           [](const Difference& one) { return distance_from_one(one.ratio); });
  for (const Difference& one : differences) evidence += (&one == &differences.front() ? ": " : "; ") + one.words;
  return measure::finding_of(kind, words, differences.front().ratio, evidence + ".");
}

}  // namespace

std::optional<Finding> disagreement(std::span<const FoundLevel> opencl, std::span<const FoundLevel> vulkan) {
  if (opencl.empty() || vulkan.empty()) return std::nullopt;
  std::vector<FoundLevel> matched(vulkan.begin(), vulkan.end());
  match(opencl, matched);
  const std::vector<LevelOfTwo> rows = side_by_side(opencl, matched);
  std::vector<Difference> differences = size_differences(rows, "OpenCL", "Vulkan");
  for (const LevelOfTwo& row : rows) {
    if (row.latency != nullptr && row.bandwidth != nullptr) continue;
    const FoundLevel* level = row.latency != nullptr ? row.latency : row.bandwidth;
    const bool is_last = level == &opencl.back() || level == &matched.back();
    if (is_last || is_memory(*level)) continue;
    if (may_be_hidden(*level, row.latency != nullptr ? std::span<const FoundLevel>(matched) : opencl)) continue;
    differences.push_back(further_level(*level, *std::next(level), row.latency != nullptr ? "OpenCL" : "Vulkan"));
  }
  return furthest_apart(finding_kinds::apis_disagree, opencl.front().words, differences,
                        "OpenCL and Vulkan see different levels");
}

void match(std::span<const FoundLevel> latency, std::span<FoundLevel> bandwidth) {
  for (FoundLevel& one : bandwidth) one.matches.reset();
  if (latency.empty() || bandwidth.empty()) return;
  const std::span<const FoundLevel> ours = caches_of(latency);
  const std::span<FoundLevel> theirs = caches_of(bandwidth);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < ours.size() && j < theirs.size()) {
    const double distance = apart(ours[i], theirs[j]);
    // The next level of either curve may be nearer.
    const bool better = (i + 1 < ours.size() && apart(ours[i + 1], theirs[j]) < distance) ||
                        (j + 1 < theirs.size() && apart(ours[i], theirs[j + 1]) < distance);
    if (distance < may_be_one && !better) {
      theirs[j++].matches = ours[i++].level;
    } else if (size_of(ours[i]) < size_of(theirs[j])) {
      ++i;
    } else {
      ++j;
    }
  }
  const bool same_before =
      ours.empty() ? theirs.empty() : !theirs.empty() && theirs.back().matches == ours.back().level;
  if (same_before && is_memory(latency.back()) && is_memory(bandwidth.back()))
    bandwidth.back().matches = latency.back().level;
}

std::vector<LevelOfTwo> side_by_side(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth) {
  std::vector<LevelOfTwo> rows;
  auto next = latency.begin();
  for (const FoundLevel& one : bandwidth) {
    while (next != latency.end() && (one.matches ? next->level < *one.matches : comes_before(*next, one)))
      rows.push_back({&*next++, nullptr});
    const bool is_one = one.matches && next != latency.end() && next->level == *one.matches;
    rows.push_back({is_one ? &*next++ : nullptr, &one});
  }
  while (next != latency.end()) rows.push_back({&*next++, nullptr});
  return rows;
}

Finding order_disagreement(const FoundLevel& level) {
  const auto& [cycle, independent] = *level.found.disagreement;
  const analysis::Estimate ratio = ratio_of(independent, cycle);
  Words words = level.words;
  words.level = fmt::format("level {}", level.level);
  return finding_of(
      finding_kinds::orders_disagree, words, ratio,
      fmt::format(
          "Level {}: {} by the cyclic walk, {} by random loads. The bounds of its size cover both; cyclic walks "
          "suffer more from other programs, page placement and adjacent-line prefetch.",
          level.level, size_with_bounds(cycle), size_with_bounds(independent)));
}

}  // namespace sonde::measure
