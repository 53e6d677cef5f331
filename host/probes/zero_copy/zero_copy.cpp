// Is memory that CPU and GPU are said to share really shared, or copied behind the program's back?
// docs/method/zero-copy.md explains it.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/zero_copy/zero_copy.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

constexpr std::array curves_of_zero_copy{&zero_copy_probe::round, &zero_copy_probe::read_again,
                                         &zero_copy_probe::kernel_alone, &zero_copy_probe::explicit_copy};
constexpr std::array findings_of_zero_copy{&zero_copy_probe::shared_without_copy,
                                           &zero_copy_probe::copies,
                                           &zero_copy_probe::cache_maintenance,
                                           &zero_copy_probe::migrates,
                                           &zero_copy_probe::unclear,
                                           &zero_copy_probe::unsupported};

/// Words of the rounds that a point begins with: one word changes, and the CPU finds it.
constexpr Words first_round{.direction = Direction::to_host, .order = Order::independent};

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;

std::vector<double> sizes(const device::DeviceInfo& device, const Request& request) {
  std::vector<double> all{64 * kib, 2 * mib, 32 * mib, 256 * mib};
  if (request.effort != Effort::quick) all = {64 * kib, 256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
  if (request.effort == Effort::thorough) all.push_back(1024 * mib);
  // More sizes would only take the host's time on a simulated device.
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
      Point point =
          point_on(zero_copy_probe::round, {.bytes = bytes}, with(first_round, {.memory = kind.name}));
      point.expected_seconds = 0.03 + 1.4e-9 * bytes;
      point.visits = visits(request.effort);
      points.push_back(point);
      if (!workloads::why_not_shared(kind).empty()) break;  // to be skipped, once
    }
  }
  return points;
}

/// Further visits to the kinds about which the visits so far disagree.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (known.empty()) return first_points(device, request);
  std::set<measure::Name> open;
  for (const SharingVerdict& verdict : sharing_verdicts(known)) {
    if (verdict.is_open) open.insert(verdict.finding.words.memory);
  }
  return measure::more_visits(known, [&](const Measurement& one) {
    const Words& words = one.point.words;
    return words == with(first_round, {.memory = words.memory}) && open.contains(words.memory);
  });
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  for (SharingVerdict& verdict : sharing_verdicts(measurements))
    conclusion.findings.push_back(std::move(verdict.finding));
  return conclusion;
}

/// Kinds of memory that the driver itself says are not shared.
std::vector<Finding> stated(const device::DeviceInfo& device, std::span<const Measurement>) {
  std::vector<Finding> findings;
  for (const device::MemoryKind& kind : device.memory_kinds) {
    const std::string reason = workloads::why_not_shared(kind);
    if (reason.empty()) continue;
    findings.push_back({.kind = &zero_copy_probe::unsupported,
                        .words = {.memory = kind.name},
                        .evidence = "Not measured: " + reason + "."});
  }
  return findings;
}

}  // namespace

Workload zero_copy_probe::prepare_rounds(device::Device& device, const Point& point, const Request& request) {
  const device::MemoryKind& kind = device::memory_kind(device.info(), point.words.memory.text());
  if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw device::Unsupported(reason);
  const double bytes = point.x.bytes.value();
  const double most_for_all = request.effort == Effort::quick    ? 2 * mib
                              : request.effort == Effort::normal ? 16 * mib
                                                                 : 1024 * mib;
  // Copies are asked for in the first kind that the CPU can map: any kind of the device's is as good.
  const auto first = std::ranges::find_if(
      device.info().memory_kinds, [](const device::MemoryKind& one) { return workloads::why_not_shared(one).empty(); });
  return zero_copy_rounds(device, kind.name, static_cast<std::uint64_t>(bytes), request.seed, bytes <= most_for_all,
                          first->name == kind.name && bytes <= 64 * mib);
}

const Probe zero_copy{
    .name = "zero-copy",
    .question = "Is memory that CPU and GPU are said to share really shared, or copied behind the program's back?",
    .curves = curves_of_zero_copy,
    .finding_kinds = findings_of_zero_copy,
    .obstacle = workloads::without_memory_kinds,
    .next = next,
    .conclude = conclude,
    .stated = stated};

}  // namespace sonde::probes
