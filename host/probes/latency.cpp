// Question: how long does one dependent load take, and how does that grow with the working set?
//
// Experiment: the working set is cut into cache lines, which a random single cycle joins. One work-item walks it:
// each load's address is the value of the load before, so nothing overlaps. The walk never restarts: a dispatch
// begins where the last one ended, so no line comes again before all others have. One lap is walked before
// anything is timed. The end of every dispatch is checked against the cycle.
//
// How to read the curve: flat stretches are levels of the memory hierarchy, the rises between them are where a
// level is full. Least recently used replacement rises at once, other policies over a range of sizes. A slow
// rise at the far end that follows pages rather than bytes is address translation.

#include <array>
#include <cmath>
#include <memory>
#include <span>

#include "kernels.hpp"
#include "probes/catalog.hpp"
#include "probes/one_item.hpp"
#include "probes/walk.hpp"

namespace sonde::probes {
namespace {

using measure::Point;
using measure::Request;
using measure::Workload;

constexpr std::uint32_t hops_per_trip = 64;
constexpr int sizes_per_doubling = 4;
constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);

struct Walk {
  gpu::Device& device;
  std::unique_ptr<gpu::Kernel> kernel;
  std::unique_ptr<gpu::Buffer> lines;
  std::unique_ptr<gpu::Buffer> cursor;
  std::uint32_t words_per_line;
  std::vector<std::uint32_t> places;  ///< of each line in the cycle
  std::uint32_t place = 0;            ///< where the walk stands now
  std::uint32_t trips = 0;

  Walk(gpu::Device& on, std::uint64_t bytes, const Request& request)
      : device(on),
        kernel(on.make_kernel(kernels::chase, one_item_group(on.info()))),
        lines(on.make_buffer(bytes)),
        cursor(on.make_buffer(2 * word_bytes)),
        words_per_line(static_cast<std::uint32_t>(request.line_bytes / word_bytes)),
        places(random_cycle(static_cast<std::uint32_t>(bytes / request.line_bytes), request.seed)) {
    write_cycle(*lines, places, request.line_bytes, request.seed);
    cycle_to_places(places);
    const std::array<std::uint32_t, 2> start{0, 0};
    cursor->write(0, std::as_bytes(std::span(start)));
  }

  gpu::Nanoseconds run(std::uint64_t hops) {
    trips = static_cast<std::uint32_t>(hops / hops_per_trip);
    place = static_cast<std::uint32_t>((place + hops) % places.size());
    return device.run(*kernel, {.buffers = {lines.get(), cursor.get()}, .scalars = {trips}, .groups = 1});
  }

  std::optional<std::string> flaw() const {
    std::array<std::uint32_t, 2> end{};
    cursor->read(0, std::as_writable_bytes(std::span(end)));
    const std::uint32_t line = end[0] / words_per_line;
    if (line >= places.size() || end[0] % words_per_line != 0) return "the device's walk left the working set; please report the driver";
    return flaw_of_chain({places[line], end[1]}, {place, trips});
  }
};

std::optional<std::string> obstacle(const gpu::DeviceInfo&) { return std::nullopt; }

std::uint64_t largest_by_default(measure::Effort effort) {
  switch (effort) {
    case measure::Effort::quick: return 64ull << 20;
    case measure::Effort::normal: return 256ull << 20;
    case measure::Effort::thorough: break;
  }
  return 1ull << 30;
}

std::vector<Point> next(const gpu::DeviceInfo&, const Request& request,
                        std::span<const measure::Measurement> known) {
  if (!known.empty()) return {};
  const std::uint64_t line = request.line_bytes;
  const double least = static_cast<double>(request.smallest_bytes.value_or(1024));
  const double most = static_cast<double>(request.largest_bytes.value_or(largest_by_default(request.effort)));
  std::vector<Point> points;
  std::uint64_t before = 0;
  for (int step = 0;; ++step) {
    const double wanted = least * std::exp2(static_cast<double>(step) / sizes_per_doubling);
    if (wanted > most * 1.0001) break;
    const std::uint64_t bytes = static_cast<std::uint64_t>(std::llround(wanted / static_cast<double>(line))) * line;
    if (bytes <= before) continue;
    before = bytes;
    // Filling and the untimed lap grow with the size; the constant is what the repetitions take.
    points.push_back({.series = {{"path", "vector"}, {"memory", "device"}},
                      .x = {{"bytes", static_cast<double>(bytes)}},
                      .expected_seconds = 0.06 + 6e-9 * static_cast<double>(bytes)});
  }
  return points;
}

Workload prepare(gpu::Device& device, const Point& point, const Request& request) {
  const auto walk = std::make_shared<Walk>(device, static_cast<std::uint64_t>(point.x.at("bytes")), request);
  return {.unit = "ns",
          .quantum = hops_per_trip,
          .most = std::uint64_t{most_trips} * hops_per_trip,
          .lap = walk->places.size(),
          .one_core = true,
          .run = [walk](std::uint64_t hops) { return walk->run(hops); },
          .flaw = [walk] { return walk->flaw(); },
          .value = [](double nanoseconds) { return nanoseconds; }};
}

std::vector<measure::Finding> conclude(std::span<const measure::Measurement>) { return {}; }

}  // namespace

const measure::Probe latency{
    .name = "latency",
    .question = "How long does one dependent load take, and how does that grow with the working set?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude};

}  // namespace sonde::probes
