#pragma once

#include <span>

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::workloads {

/// The curves of one path in a set of measurements; `order` tells them apart, and `stride` the walks with one line a
/// page from those with one line every so many bytes.
analysis::LatencyCurves curves_of(std::span<const measure::Measurement> measurements, Path path,
                                  const measure::Request& request, Fabric fabric = Fabric::idle);

}  // namespace sonde::workloads
