// Question: how fast does data move between the host's memory and the device's, by which engine, and does it
// move while kernels run?
//
// Experiment: rows of equal copies are enqueued behind a gate and let go together, so that enqueuing them is not in
// their time, which the device's own clock takes. Host memory is ordinary (pageable; no gate, as drivers may copy while
// they enqueue), the driver's (pinned) or the program's made known to the driver (imported); directions are to the
// device, to the host, both at once on a queue each, and within the device. Beside the driver's queue there are queues
// that can do nothing else (transfer), kernels that copy (compute-shader), and the CPU through a mapping (map-memcpy,
// by the host's clock). Bytes are counted once, however often they are read and written. The words are random; every
// row changes all of its target, which is proved as a whole after each repetition. All is done several times, in new
// memory.
//
// How to read the curve: small copies cost a latency, whatever their size; large ones their bytes over a
// rate. Rows on several queues, and in both directions, show how many copies can be under way at once; copies
// that are let go while a kernel runs show whether both can be.

#include <algorithm>

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/copy/findings.hpp"
#include "probes/copy/plan.hpp"
#include "probes/copy/route.hpp"
#include "probes/copy/work.hpp"

namespace sonde::probes {
namespace {

std::optional<std::string> obstacle(const device::DeviceInfo&) { return std::nullopt; }

bool is_one_of(std::span<const Point> points, const Measurement& one) {
  return std::ranges::any_of(points, [&](const Point& point) { return key_of(point) == key_of(one.point); });
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = first_copies(device, request);
  if (!known.empty() && !points.empty()) {
    const bool swept = std::ranges::any_of(known, [&](const Measurement& one) { return !is_one_of(points, one); });
    points = swept ? engine_points(device, request, known) : copy_sweeps(device, request, known);
  }
  for (Point& point : points) point.visits = measure::usual_visits(request.effort);
  return points;
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  const CopyRoute route = route_of(point.series);
  const auto bytes = static_cast<std::uint64_t>(point.x.at("bytes"));
  if (route.beside_kernel) return copies_beside_kernel(device, route, bytes, request);
  if (route.mover == Mover::compute_shader) return copies_by_kernel(device, route, bytes, point, request);
  if (route.host == HostEnd::map_memcpy) return copies_by_mapping(device, route, bytes, request);
  const auto queues = point.x.find("queues");
  return copies_by_engine(device, route, bytes,
                          queues == point.x.end() ? 1 : static_cast<std::uint32_t>(queues->second), request);
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) { return copy_findings(measurements); }

}  // namespace

const Probe copying{.name = "copy",
                    .question =
                        "How fast do copies between the host's memory and the device's go, by which engine, and beside "
                        "kernels?",
                    .obstacle = obstacle,
                    .next = next,
                    .prepare = prepare,
                    .conclude = conclude,
                    // One size of each kind comes first.
                    .all_over_first = [](Effort effort) { return effort == Effort::quick ? 6.0 : 24.0; }};

}  // namespace sonde::probes
