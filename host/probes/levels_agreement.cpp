#include "probes/levels_agreement.hpp"

#include <algorithm>

namespace sonde::probes {
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

}  // namespace

std::optional<measure::Finding> disagreement(std::span<const FoundLevel> opencl, std::span<const FoundLevel> vulkan) {
  if (opencl.empty() || vulkan.empty()) return std::nullopt;
  bool differ = opencl.size() != vulkan.size();
  for (std::size_t i = 0; i < std::min(opencl.size(), vulkan.size()); ++i) {
    const auto& one = opencl[i].found.bytes;
    const auto& other = vulkan[i].found.bytes;
    if (one && other && (one->high < other->low || other->high < one->low)) differ = true;
  }
  if (!differ) return std::nullopt;
  return measure::Finding{.series = opencl.front().series,
                          .name = "apis-disagree",
                          .value = std::nullopt,
                          .unit = "",
                          .evidence = "OpenCL sees levels of " + sizes_of(opencl) + ", Vulkan of " + sizes_of(vulkan) +
                                      "; the brackets of at least one do not touch, or one sees a level more."};
}

}  // namespace sonde::probes
