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

std::vector<const FoundLevel*> caches_of(std::span<const FoundLevel> levels) {
  std::vector<const FoundLevel*> caches;
  for (const FoundLevel& level : levels) {
    if (level.found.bytes) caches.push_back(&level);
  }
  return caches;
}

const FoundLevel* memory_of(std::span<const FoundLevel> levels) {
  return levels.empty() || levels.back().found.bytes ? nullptr : &levels.back();
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

std::vector<LevelOfTwo> side_by_side(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth) {
  const std::vector<const FoundLevel*> ours = caches_of(latency);
  const std::vector<const FoundLevel*> theirs = caches_of(bandwidth);
  std::vector<LevelOfTwo> rows;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < ours.size() || j < theirs.size()) {
    const bool both = i < ours.size() && j < theirs.size();
    const double distance = both ? apart(*ours[i], *theirs[j]) : may_be_one;
    // The next one may be nearer.
    const bool better = both && ((i + 1 < ours.size() && apart(*ours[i + 1], *theirs[j]) < distance) ||
                                 (j + 1 < theirs.size() && apart(*ours[i], *theirs[j + 1]) < distance));
    if (both && distance < may_be_one && !better) {
      rows.push_back({ours[i++], theirs[j++]});
    } else if (j == theirs.size() || (both && size_of(*ours[i]) < size_of(*theirs[j]))) {
      rows.push_back({ours[i++], nullptr});
    } else {
      rows.push_back({nullptr, theirs[j++]});
    }
  }
  const LevelOfTwo memory{memory_of(latency), memory_of(bandwidth)};
  const bool same_before = rows.empty() || (rows.back().latency != nullptr && rows.back().bandwidth != nullptr);
  if (memory.latency != nullptr && memory.bandwidth != nullptr && !same_before) {
    rows.push_back({memory.latency, nullptr});
    rows.push_back({nullptr, memory.bandwidth});
  } else if (memory.latency != nullptr || memory.bandwidth != nullptr) {
    rows.push_back(memory);
  }
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
