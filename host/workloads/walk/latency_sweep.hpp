#pragma once

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"

// The sizes at which a hierarchy's latency is measured, and the curves that levels are read from.
namespace sonde::workloads {

/// The words that all curves of one hierarchy share, which its levels are read from together: those of a point without
/// the order and the spacing of its lines, and without what kept memory awake.
measure::Words hierarchy_words(measure::Words words);

/// The curves of one hierarchy in a set of measurements. The order of the loads tells them apart, and a stride the
/// walks with one line a page from those with one line every so many bytes.
analysis::LatencyCurves curves_of(std::span<const measure::Measurement> measurements, const measure::Words& hierarchy,
                                  const measure::Request& request, measure::Fabric fabric = measure::Fabric::idle);

/// The declared curves that the points of a sweep lie on, by the order of the loads, and the words they leave open.
struct SweptCurves {
  const measure::Curve& cycle;
  const measure::Curve& independent;
  const measure::Curve& page;
  measure::Words varied = {};

  [[nodiscard]] measure::Words words() const { return with(cycle.words, varied); }
};

/// The working set at which a sweep ends, unless on a rise.
double largest_bytes(const device::DeviceInfo& device, const measure::Request& request);

/// Whether an edge between these sizes is not yet known as closely as it is looked at: within 3 %, or 10.
bool is_wide(const analysis::Gap& gap, bool closely);

/// A point at the whole number of lines, or of other units, nearest to `bytes`. A visit has so many allocations.
measure::Point sized_point(const measure::Request& request, const measure::Curve& curve, const measure::Words& varied,
                           double bytes, int allocations = 1, std::optional<std::uint32_t> unit_bytes = {});

/// Sizes on a grid between two, both among them: at most four a doubling, and half as many where a point takes long.
std::vector<measure::Point> sweep(const measure::Curve& curve, const measure::Words& varied,
                                  const measure::Request& request, const analysis::SizeRange& range,
                                  double sizes_per_doubling);

/// All sizes of the look for the cycle.
std::vector<measure::Point> coarse_points(const SweptCurves& swept, const device::DeviceInfo& device,
                                          const measure::Request& request, double sizes_per_doubling = 4);

/// Sizes that cut the intervals in which a point tells most about a rise of the cycle, until none tells more than
/// points scatter or they are as narrow as is_wide() says; closely only where a point does not take long. Before these,
/// where others use the machine, the points of `first_seen` about each rise for a second visit: what they leave of a
/// cache differs by the moment.
std::vector<measure::Point> edge_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                        const measure::Request& request, bool closely = true,
                                        std::span<const measure::Point> first_seen = {});

/// Sizes beyond `end`, as far as a buffer may be large, for a sweep that ends there on a rise, unless --sizes or the
/// closest look had it end there: what lies beyond the last cache looks like any climb.
std::vector<double> sizes_beyond(const std::vector<analysis::CurvePoint>& cycle, double end,
                                 const device::DeviceInfo& device, const measure::Request& request);

/// The `most` of those sizes that tell most, for the cycle.
std::vector<measure::Point> further_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                           const device::DeviceInfo& device, const measure::Request& request,
                                           std::size_t most);

/// Sizes of the independent walk about the edges and between them, and spans of the page walk about them; none that are
/// near those asked for before.
std::vector<measure::Point> capacity_points(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                            const device::DeviceInfo& device, const measure::Request& request,
                                            std::span<const measure::Measurement> known);

/// Walks with one line every so many bytes, which tell a device's pages and how many of them it keeps at hand, some of
/// which may have been asked for before: over numbers of lines, with a large stride and a small one; once all of these
/// were asked for, more numbers of lines and strides about each table of pages that they show. None where no memory is
/// so large.
std::vector<measure::Point> page_walks(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                                       const device::DeviceInfo& device, const measure::Request& request);

}  // namespace sonde::workloads
