#include "measure/curve.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace sonde::measure {
namespace {

bool names(const Curve& curve, const std::map<std::string, std::string>& series) {
  const std::map<std::string, std::string> fixed = written(curve.words);
  const bool has_all = std::ranges::all_of(fixed, [&series](const auto& entry) {
    const auto found = series.find(entry.first);
    return found != series.end() && found->second == entry.second;
  });
  const Keys varies(curve.varies);
  return has_all && std::ranges::all_of(series, [&](const auto& entry) {
           return fixed.contains(entry.first) || varies.contains(entry.first);
         });
}

}  // namespace

bool Keys::contains(std::string_view wanted) const {
  bool found = false;
  for_each([&](std::string_view key) { found = found || key == wanted; });
  return found;
}

const Curve* find_curve(std::span<const Curve* const> curves, const Words& words, std::string_view unit) {
  const std::map<std::string, std::string> series = written(words);
  const std::string_view declared_unit = unit == "cycles" ? "ns" : unit;
  const auto found = std::ranges::find_if(
      curves, [&](const Curve* curve) { return curve->unit == declared_unit && names(*curve, series); });
  return found == curves.end() ? nullptr : *found;
}

}  // namespace sonde::measure
