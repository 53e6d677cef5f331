#pragma once

#include <variant>

#include "device/device.hpp"
#include "probes/catalog.hpp"
#include "probes/latency/latency.hpp"

namespace sonde::test {

/// A point of the latency probe's cycle.
inline measure::Point point_of(double bytes, measure::Path path = measure::Path::vector) {
  measure::Point point =
      measure::point_on(probes::latency_probe::cycle, {.bytes = bytes}, {.memory = "device", .path = path});
  point.expected_seconds = 1;
  return point;
}

/// Whether these are words of the vector path, which a record without a path has too, and of loads, not atomics.
inline bool is_by_vector_path(const measure::Words& words) {
  return words.path.value_or(measure::Path::vector) == measure::Path::vector && !words.pattern;
}

/// Work whose time per step is measured.
inline measure::SteppedWork stepped(const measure::Workload& workload) {
  return std::get<measure::SteppedWork>(workload.work);
}

/// The latency probe's walk over so many bytes.
inline measure::SteppedWork walk_over(device::Device& device, double bytes) {
  return stepped(probes::latency_probe::prepare_cycle(device, point_of(bytes), {.seed = 7}));
}

}  // namespace sonde::test
