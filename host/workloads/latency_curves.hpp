#pragma once

#include <span>

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"
#include "workloads/path.hpp"

namespace sonde::workloads {

/// Page distance of the walk with one line a page: the smallest page that any GPU or CPU here uses, so larger pages
/// only hold several of its lines.
inline constexpr std::uint32_t page_bytes = 4096;

/// The curves of one path in a set of measurements; `order` tells them apart.
analysis::LatencyCurves curves_of(std::span<const measure::Measurement> measurements, Path path,
                                  std::uint32_t line_bytes, Fabric fabric = Fabric::idle);

}  // namespace sonde::workloads
