#include "probes/copy/plan.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

#include "probes/copy/contents.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint64_t smallest_copy = 4 << 10;
/// What copies beside a kernel have: enough that their beginning does not matter, and far from as long as a kernel.
constexpr std::uint64_t beside_bytes = 1 << 20;
constexpr std::uint32_t most_queues = 8;
constexpr std::uint64_t shaping_bytes = 16 << 20;

std::uint64_t largest_copy(const device::DeviceInfo& device, Effort effort) {
  // A simulated copy is one by the host, and so as slow as a CPU's.
  const bool slow = device.type == device::DeviceType::cpu || device.type == device::DeviceType::model;
  switch (effort) {
    case Effort::quick: return slow ? 16 << 20 : 256 << 20;
    case Effort::normal: return slow ? 64 << 20 : 1 << 30;
    case Effort::thorough: break;
  }
  return 1 << 30;
}

/// Whole pages, as that is what is proved; the ends, and a size every so many doublings between.
std::vector<std::uint64_t> sizes(const device::DeviceInfo& device, const Request& request) {
  const std::uint64_t asked_least = request.smallest_bytes.value_or(smallest_copy);
  const std::uint64_t least =
      std::max(smallest_copy, (asked_least + proof_block_bytes - 1) / proof_block_bytes * proof_block_bytes);
  const std::uint64_t most =
      request.largest_bytes.value_or(largest_copy(device, request.effort)) / proof_block_bytes * proof_block_bytes;
  const unsigned doublings = request.effort == Effort::quick ? 4 : request.effort == Effort::normal ? 2 : 1;
  std::vector<std::uint64_t> all;
  for (std::uint64_t bytes = least; bytes <= most; bytes <<= doublings) all.push_back(bytes);
  if (!all.empty() && all.back() * 2 <= most) all.push_back(most);
  return all;
}

Point point(const CopyRoute& route, std::uint64_t bytes) {
  const double size = static_cast<double>(bytes);
  return {.series = series_of(route), .x = {{"bytes", size}}, .expected_seconds = 0.05 + 5e-9 * size};
}

Point on_queues(const CopyRoute& route, std::uint64_t bytes, std::uint32_t queues) {
  Point one = point(route, bytes);
  one.x["queues"] = queues;
  return one;
}

constexpr std::array hosts{HostEnd::pageable, HostEnd::pinned, HostEnd::imported, HostEnd::map_memcpy};

bool was_measured(std::span<const Measurement> known, Mover mover, HostEnd host) {
  return std::ranges::any_of(known, [&](const Measurement& one) {
    const CopyRoute route = route_of(one.point.series);
    return route.mover == mover && route.host == host;
  });
}

/// Copies that the API has, with the memory that no copy has to go through another for.
const HostEnd host_for_engines = HostEnd::pinned;

std::vector<Mover> measured_engines(std::span<const Measurement> known) {
  std::vector<Mover> found;
  for (const Mover mover : {Mover::driver, Mover::transfer}) {
    if (was_measured(known, mover, host_for_engines)) found.push_back(mover);
  }
  return found;
}

}  // namespace

std::vector<Point> first_copies(const device::DeviceInfo& device, const Request& request) {
  const std::vector<std::uint64_t> all = sizes(device, request);
  if (all.empty()) return {};
  const std::uint64_t middling = all[all.size() / 2];
  std::vector<Point> points;
  for (const HostEnd host : hosts) points.push_back(point({.host = host}, middling));
  points.push_back(point({.host = HostEnd::none, .direction = Direction::within}, middling));
  points.push_back(point({.mover = Mover::transfer, .host = HostEnd::pinned}, middling));
  // Where the kernel's shape is found, which small copies do not tell.
  points.push_back(point({.mover = Mover::compute_shader, .host = HostEnd::pinned},
                         std::clamp(shaping_bytes, all.front(), all.back())));
  return points;
}

std::vector<Point> copy_sweeps(const device::DeviceInfo& device, const Request& request,
                               std::span<const Measurement> known) {
  std::vector<CopyRoute> routes;
  for (const Mover mover : {Mover::driver, Mover::transfer, Mover::compute_shader}) {
    for (const HostEnd host : hosts) {
      // Which kinds of memory a device has shows with its driver; other ways to copy are tried with what that one can.
      const bool has_mover = was_measured(known, mover, mover == Mover::driver ? host : HostEnd::pinned);
      const bool chosen_by_program = mover == Mover::driver || host == HostEnd::pinned ||
                                     (host == HostEnd::imported && request.effort != Effort::quick);
      if (!has_mover || !chosen_by_program || !was_measured(known, Mover::driver, host)) continue;
      routes.push_back({.mover = mover, .host = host});
      routes.push_back({.mover = mover, .host = host, .direction = Direction::to_host});
    }
    // A kernel needs no memory of the host for these.
    const bool copies_within = mover == Mover::driver
                                   ? was_measured(known, mover, HostEnd::none)
                                   : mover == Mover::compute_shader || was_measured(known, mover, HostEnd::pinned);
    if (copies_within) routes.push_back({.mover = mover, .host = HostEnd::none, .direction = Direction::within});
  }
  const auto shaped = std::ranges::find_if(known, [](const Measurement& one) { return !one.state.shape.empty(); });
  std::vector<Point> points;
  for (const CopyRoute& route : routes) {
    for (const std::uint64_t bytes : sizes(device, request)) {
      points.push_back(point(route, bytes));
      if (route.mover == Mover::compute_shader && shaped != known.end()) points.back().shape = shaped->state.shape;
    }
  }
  // In an order that no slow change of the machine can imitate a curve with.
  std::mt19937_64 random(request.seed + points.size());
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
  return points;
}

std::vector<Point> engine_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known) {
  const std::vector<std::uint64_t> all = sizes(device, request);
  std::vector<Point> points;
  if (all.empty()) return points;
  const auto asked_for = [&](std::uint64_t bytes) { return bytes >= all.front() && bytes <= all.back(); };
  for (const Mover mover : measured_engines(known)) {
    const CopyRoute both{.mover = mover, .host = host_for_engines, .direction = Direction::both};
    for (const std::uint64_t bytes : all) points.push_back(point(both, bytes));
    for (const Direction direction : {Direction::to_device, Direction::to_host}) {
      const CopyRoute route{.mover = mover, .host = host_for_engines, .direction = direction};
      for (const std::uint64_t bytes : {all.front(), all.back()}) {
        for (std::uint32_t queues = 2; queues <= most_queues; queues *= 2) {
          // Larger copies take turns on the bus: more than two queues of them tell nothing.
          if (queues == 2 || bytes == all.front()) points.push_back(on_queues(route, bytes, queues));
        }
      }
      CopyRoute beside = route;
      beside.beside_kernel = true;
      if (asked_for(beside_bytes)) points.push_back(point(beside, beside_bytes));
    }
  }
  return points;
}

}  // namespace sonde::probes
