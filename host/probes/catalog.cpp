#include "probes/catalog.hpp"

#include <algorithm>
#include <array>

namespace sonde::probes {

std::span<const Probe* const> catalog() {
  static constexpr std::array all{
      &latency, &bandwidth, &loaded_latency, &cpu_loaded_latency, &hit_rate,      &host_memory,  &zero_copy,  &copying,
      &compute, &frames,    &contention,     &cpu_latency,        &cpu_bandwidth, &core_to_core, &split_locks};
  return all;
}

const Probe* find(std::string_view id) {
  const auto found = std::ranges::find(catalog(), id, [](const Probe* probe) { return probe->id; });
  return found == catalog().end() ? nullptr : *found;
}

std::vector<const Probe*> named(std::string_view name) {
  std::vector<const Probe*> probes;
  std::ranges::copy_if(catalog(), std::back_inserter(probes), [name](const Probe* one) { return one->name == name; });
  return probes;
}

const measure::Curve* find_curve(std::string_view probe, const measure::Words& words, std::string_view unit) {
  for (const Probe* one : named(probe)) {
    if (const measure::Curve* curve = measure::find_curve(one->curves, words, unit)) return curve;
  }
  return nullptr;
}

const measure::FindingKind* find_finding_kind(std::string_view probe, std::string_view finding) {
  for (const Probe* one : named(probe)) {
    const auto found = std::ranges::find(one->finding_kinds, finding, [](const auto* kind) { return kind->name; });
    if (found != one->finding_kinds.end()) return *found;
  }
  return nullptr;
}

}  // namespace sonde::probes
