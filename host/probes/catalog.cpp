#include "probes/catalog.hpp"

#include <array>

namespace sonde::probes {

std::span<const Probe* const> catalog() {
  static constexpr std::array all{&latency,     &bandwidth,     &loaded_latency, &hit_rate, &host_memory,
                                  &zero_copy,   &copying,       &compute,        &frames,   &contention,
                                  &cpu_latency, &cpu_bandwidth, &core_to_core};
  return all;
}

const Probe* find(std::string_view name) {
  for (const Probe* probe : catalog()) {
    if (probe->name == name) return probe;
  }
  return nullptr;
}

}  // namespace sonde::probes
