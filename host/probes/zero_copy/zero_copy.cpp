// Question: is memory that CPU and GPU are said to share really shared, or copied behind the program's back?
//
// Experiment: a buffer of several sizes in every kind of memory. First both sides write all of it, so that every page
// is there. Then one side changes one word, another one in every round, and the other has to find it there, with map
// and unmap where the kind needs them; a wrong value is an error. The time of such a round, by the host's clock (the
// records' state.shape says so), over the size of the buffer: if nothing is copied it does not matter how large the
// buffer is. Of a round from CPU to GPU the map before it is not counted, which is the other direction's work. Further
// rounds change a word in each of up to 512 pages (order page), all words (order cycle; not in large buffers), and in
// each the CPU also reads a second time with nothing in between (direction within, side cpu), which is what looking
// itself costs. For comparison the whole buffer is copied by the driver (engine driver). All of it is done several
// times, on new buffers, and more often where those times disagree.
//
// How to read the curve: flat is zero-copy; a rise as steep as, or a third as steep as, the copy that was asked for is
// a hidden copy, whose rate is the rise's; a smaller rise is work on every line of the buffer, as when caches are
// written back. A flat curve with far more time for 512 pages than for one word is memory that moves page by page.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/zero_copy/rounds.hpp"
#include "probes/zero_copy/verdict.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;

std::vector<double> sizes(const device::DeviceInfo& device, const Request& request) {
  std::vector<double> all{64 * kib, 2 * mib, 32 * mib, 256 * mib};
  if (request.effort != Effort::quick) all = {64 * kib, 256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
  if (request.effort == Effort::thorough) all.push_back(1024 * mib);
  // What a simulated device's sizes would add is the host's time.
  if (device.type == device::DeviceType::model) all = {64 * kib, 1 * mib, 4 * mib, 16 * mib};
  std::erase_if(all, [&](double bytes) {
    return !measure::is_asked_for(request, bytes) || bytes > static_cast<double>(most_round_bytes);
  });
  return all;
}

int visits(Effort effort) { return effort == Effort::quick ? 3 : effort == Effort::normal ? 4 : 5; }

std::vector<Point> first_points(const device::DeviceInfo& device, const Request& request) {
  std::vector<Point> points;
  for (const device::MemoryKind& kind : device.memory_kinds) {
    for (const double bytes : sizes(device, request)) {
      Point point{.series = series_of(Touch::word, Way::to_host), .x = {{"bytes", bytes}}};
      point.series["memory"] = kind.name;
      point.expected_seconds = 0.03 + 1.4e-9 * bytes;
      point.visits = visits(request.effort);
      points.push_back(point);
      if (!workloads::why_not_shared(kind).empty()) break;  // to be skipped, once
    }
  }
  return points;
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  const device::MemoryKind& kind = device::memory_kind(device.info(), workloads::memory_of(point.series));
  if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw device::Unsupported(reason);
  const double bytes = point.x.at("bytes");
  const double most_for_all = request.effort == Effort::quick    ? 2 * mib
                              : request.effort == Effort::normal ? 16 * mib
                                                                 : 1024 * mib;
  // Copies are compared with those of the first kind that the CPU can map; any kind of the device's is as good.
  const auto first = std::ranges::find_if(
      device.info().memory_kinds, [](const device::MemoryKind& one) { return workloads::why_not_shared(one).empty(); });
  return zero_copy_rounds(device, kind.name, static_cast<std::uint64_t>(bytes), request.seed, bytes <= most_for_all,
                          first->name == kind.name && bytes <= 64 * mib);
}

/// Further visits to the kinds of which the visits so far disagree whether they are shared.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (known.empty()) return first_points(device, request);
  std::set<std::string> open;
  for (const SharingVerdict& verdict : sharing_verdicts(known)) {
    if (verdict.is_open) open.insert(verdict.finding.series.at("memory"));
  }
  return measure::more_visits(known, [&](const Measurement& one) {
    const std::string memory = workloads::memory_of(one.point.series);
    std::map<std::string, std::string> first = series_of(Touch::word, Way::to_host);
    first["memory"] = memory;
    return one.point.series == first && open.contains(memory);
  });
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  for (SharingVerdict& verdict : sharing_verdicts(measurements))
    conclusion.findings.push_back(std::move(verdict.finding));
  return conclusion;
}

/// What the driver's own word is enough for.
std::vector<Finding> stated(const device::DeviceInfo& device, std::span<const Measurement>) {
  std::vector<Finding> findings;
  for (const device::MemoryKind& kind : device.memory_kinds) {
    const std::string reason = workloads::why_not_shared(kind);
    if (reason.empty()) continue;
    findings.push_back({.series = {{"memory", kind.name}},
                        .name = "unsupported",
                        .value = std::nullopt,
                        .unit = "",
                        .evidence = "Not measured: " + reason + "."});
  }
  return findings;
}

}  // namespace

const Probe zero_copy{
    .name = "zero-copy",
    .question = "Is memory that CPU and GPU are said to share really shared, or copied behind the program's back?",
    .obstacle = workloads::without_memory_kinds,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    .stated = stated};

}  // namespace sonde::probes
