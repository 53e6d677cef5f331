#include "measure/level_agreement.hpp"

#include <algorithm>

namespace sonde::measure {
namespace {

using measure::FoundLevel;

std::string sizes_of(std::span<const FoundLevel> levels) {
  std::string text;
  for (const FoundLevel& level : levels) {
    if (!level.found.bytes) continue;
    text += (text.empty() ? "" : ", ") + measure::size_text(level.found.bytes->value);
  }
  return text.empty() ? "no cache" : text;
}

/// Levels of one device are further apart than two probes are about one of them.
constexpr double may_be_one = 4;

double size_of(const FoundLevel& level) { return level.found.bytes->value; }
double apart(const FoundLevel& one, const FoundLevel& other) {
  return std::max(size_of(one), size_of(other)) / std::min(size_of(one), size_of(other));
}

bool touch(const analysis::Bracket& one, const analysis::Bracket& other) {
  return one.low <= other.high && other.low <= one.high;
}

bool is_memory(const FoundLevel& level) { return !level.found.bytes; }

/// Only the last of a curve may be memory.
template <typename Level>
std::span<Level> caches_of(std::span<Level> levels) {
  return levels.first(levels.size() - (is_memory(levels.back()) ? 1 : 0));
}

/// Of two that do not match; memory comes last.
bool comes_before(const FoundLevel& latency, const FoundLevel& bandwidth) {
  return is_memory(bandwidth) || (!is_memory(latency) && size_of(latency) < size_of(bandwidth));
}

}  // namespace

std::optional<measure::Finding> disagreement(std::span<const FoundLevel> opencl, std::span<const FoundLevel> vulkan) {
  if (opencl.empty() || vulkan.empty()) return std::nullopt;
  bool differ = opencl.size() != vulkan.size();
  for (std::size_t i = 0; i < std::min(opencl.size(), vulkan.size()); ++i) {
    const auto& one = opencl[i].found.bytes;
    const auto& other = vulkan[i].found.bytes;
    if (one && other && !touch(*one, *other)) differ = true;
  }
  if (!differ) return std::nullopt;
  return measure::Finding{.series = opencl.front().series,
                          .name = "apis-disagree",
                          .value = std::nullopt,
                          .unit = "",
                          .evidence = "OpenCL sees levels of " + sizes_of(opencl) + ", Vulkan of " + sizes_of(vulkan) +
                                      "; the brackets of at least one do not touch, or one sees a level more."};
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
    // The next one may be nearer.
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

std::optional<measure::Finding> size_disagreement(std::span<const FoundLevel> latency,
                                                  std::span<const FoundLevel> bandwidth) {
  std::string differences;
  for (const LevelOfTwo& row : side_by_side(latency, bandwidth)) {
    if (row.latency == nullptr || row.bandwidth == nullptr || !row.latency->found.bytes) continue;
    const analysis::Bracket& one = *row.latency->found.bytes;
    const analysis::Bracket& other = *row.bandwidth->found.bytes;
    if (touch(one, other)) continue;
    differences += (differences.empty() ? "" : "; ") + measure::size_text(one.value) + " (" +
                   measure::size_text(one.low) + " to " + measure::size_text(one.high) + ") by latency, " +
                   measure::size_text(other.value) + " (" + measure::size_text(other.low) + " to " +
                   measure::size_text(other.high) + ") by bandwidth";
  }
  if (differences.empty()) return std::nullopt;
  return measure::Finding{
      .series = latency.front().series,
      .name = "probes-disagree",
      .value = std::nullopt,
      .unit = "",
      .evidence = "The sizes of levels differ beyond what each probe is uncertain by: " + differences + "."};
}

}  // namespace sonde::measure
