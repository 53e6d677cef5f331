#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"

// Walks with one line every so many bytes, which tell a device's pages and how many of them it keeps at hand.
namespace sonde::workloads {

/// Bytes from line to line of a point of order `page`: what its word `stride` says, else `by_default`.
std::uint32_t stride_bytes_of(const std::map<std::string, std::string>& series, std::uint32_t by_default);

/// Walks that are still wanted, some of which may have been asked for before. First over numbers of lines, with a
/// stride of at least a page and with one so small that its lines share pages; then, about each table of pages that
/// these show, more numbers of lines, and as many lines at the strides between and beyond. None where no memory is so
/// large.
std::vector<measure::Point> page_walks(const analysis::LatencyCurves& curves, const device::DeviceInfo& device,
                                       const measure::Request& request);

}  // namespace sonde::workloads
