// How fast do copies between the host's memory and the device's go, by which engine, and beside kernels?
// docs/method/copy.md explains it.

#include <algorithm>

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/copy/copy.hpp"

namespace sonde::probes {
namespace copy_probe {
namespace {

constexpr std::uint64_t smallest_copy_bytes = 4 << 10;
/// Copies beside a kernel are large enough that their beginning does not matter, and far shorter than the kernel.
constexpr std::uint64_t beside_kernel_bytes = 1 << 20;
constexpr std::uint32_t most_queues = 8;
/// Small copies do not tell which shape of the copying kernel is fast.
constexpr std::uint64_t shape_search_bytes = 16 << 20;

constexpr std::array all_hosts{HostMemory::pageable, HostMemory::pinned, HostMemory::imported, HostMemory::map_memcpy};

std::uint64_t largest_copy_bytes(const device::DeviceInfo& device, Look look) {
  // A simulated copy is one by the host, and so as slow as a CPU's.
  const bool slow = device.type == device::DeviceType::cpu || device.type == device::DeviceType::model;
  return by_look<std::uint64_t>(look, slow ? 16 << 20 : 256 << 20, slow ? 64 << 20 : 1 << 30, 1 << 30);
}

/// Sizes of whole pages, as those are what is proved: both ends, and one every so many doublings between.
std::vector<std::uint64_t> sizes_of_copies(const device::DeviceInfo& device, const Request& request) {
  const std::uint64_t asked_least = request.smallest_bytes.value_or(smallest_copy_bytes);
  const std::uint64_t least =
      std::max(smallest_copy_bytes, (asked_least + proof_block_bytes - 1) / proof_block_bytes * proof_block_bytes);
  const std::uint64_t most =
      request.largest_bytes.value_or(largest_copy_bytes(device, request.look)) / proof_block_bytes * proof_block_bytes;
  const unsigned doublings = by_look(request.look, 4u, 2u, 1u);
  std::vector<std::uint64_t> all;
  for (std::uint64_t bytes = least; bytes <= most; bytes <<= doublings) all.push_back(bytes);
  if (!all.empty() && all.back() * 2 <= most) all.push_back(most);
  return all;
}

Words way(Engine engine, std::optional<HostMemory> host, Direction direction = Direction::to_device) {
  return {.direction = direction, .engine = engine, .host = host};
}

Point copy_point(const Words& words, std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return point_on(*measure::find_curve(curves, words, "GB/s"), {.bytes = size}, words, 0.05 + 5e-9 * size);
}

/// Whether any copy by an engine, from and to this memory of the host, was measured; without one, within the device.
bool was_measured(std::span<const Measurement> known, Engine engine, std::optional<HostMemory> host) {
  return std::ranges::any_of(
      known, [&](const Measurement& one) { return one.point.words.engine == engine && one.point.words.host == host; });
}

/// A copy on one way of each kind, so that what the device cannot do is skipped once. Its size is a middling one, which
/// no clock is too slow for.
std::vector<Point> first_copies(const device::DeviceInfo& device, const Request& request) {
  const std::vector<std::uint64_t> all = sizes_of_copies(device, request);
  if (all.empty()) return {};
  const std::uint64_t middling = all[all.size() / 2];
  std::vector<Point> points;
  for (const HostMemory host : all_hosts) points.push_back(copy_point(way(Engine::driver, host), middling));
  points.push_back(copy_point(way(Engine::driver, std::nullopt, Direction::within), middling));
  points.push_back(copy_point(way(Engine::transfer, HostMemory::pinned), middling));
  // The kernel's shape is found here.
  points.push_back(copy_point(way(Engine::compute_shader, HostMemory::pinned),
                              std::clamp(shape_search_bytes, all.front(), all.back())));
  return points;
}

/// All sizes, on all ways whose kind was measured.
std::vector<Point> copy_sweeps(const device::DeviceInfo& device, const Request& request,
                               std::span<const Measurement> known) {
  std::vector<Words> ways;
  for (const Engine engine : {Engine::driver, Engine::transfer, Engine::compute_shader}) {
    for (const HostMemory host : all_hosts) {
      // Which kinds of memory a device has shows with its driver; other engines are tried with what that one can.
      const bool has_engine = was_measured(known, engine, engine == Engine::driver ? host : HostMemory::pinned);
      const bool chosen_by_program = engine == Engine::driver || host == HostMemory::pinned ||
                                     (host == HostMemory::imported && request.look != Look::first);
      if (!has_engine || !chosen_by_program || !was_measured(known, Engine::driver, host)) continue;
      ways.push_back(way(engine, host));
      ways.push_back(way(engine, host, Direction::to_host));
    }
    // A kernel needs no memory of the host for copies within the device.
    const bool copies_within =
        engine == Engine::driver ? was_measured(known, engine, std::nullopt)
                                 : engine == Engine::compute_shader || was_measured(known, engine, HostMemory::pinned);
    if (copies_within) ways.push_back(way(engine, std::nullopt, Direction::within));
  }
  const auto shaped = std::ranges::find_if(known, [](const Measurement& one) { return !one.state.shape.empty(); });
  std::vector<Point> points;
  for (const Words& words : ways) {
    for (const std::uint64_t bytes : sizes_of_copies(device, request)) {
      points.push_back(copy_point(words, bytes));
      if (words.engine == Engine::compute_shader && shaped != known.end()) points.back().shape = shaped->state.shape;
    }
  }
  return measure::shuffled(std::move(points), request.seed);
}

/// The points that tell engines: several queues at once, and copies beside a kernel. They come after the sweeps, as a
/// size that a curve cannot do ends it.
std::vector<Point> engine_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known) {
  const std::vector<std::uint64_t> all = sizes_of_copies(device, request);
  std::vector<Point> points;
  for (const Engine engine : {Engine::driver, Engine::transfer}) {
    if (!was_measured(known, engine, host_of_engines)) continue;
    const Words both = with(way(engine, host_of_engines, Direction::both), {.counted = Counted::total});
    for (const std::uint64_t bytes : all) points.push_back(copy_point(both, bytes));
    for (const Direction direction : {Direction::to_device, Direction::to_host}) {
      const Words one_way = way(engine, host_of_engines, direction);
      for (const std::uint64_t bytes : {all.front(), all.back()}) {
        for (std::uint32_t queues = 2; queues <= most_queues; queues *= 2) {
          // Larger copies take turns on the bus: more than two queues of them tell nothing.
          if (queues != 2 && bytes != all.front()) continue;
          points.push_back(copy_point(one_way, bytes));
          points.back().x.queues = queues;
        }
      }
      const Words beside = with(one_way, {.beside = Beside::kernel});
      if (all.front() <= beside_kernel_bytes && beside_kernel_bytes <= all.back())
        points.push_back(copy_point(beside, beside_kernel_bytes));
    }
  }
  return points;
}

std::vector<Point> next_copies(const device::DeviceInfo& device, const Request& request,
                               std::span<const Measurement> known) {
  std::vector<Point> points = first_copies(device, request);
  if (!known.empty() && !points.empty()) {
    const bool swept = std::ranges::any_of(known, [&](const Measurement& one) {
      return std::ranges::none_of(points, [&](const Point& first) { return key_of(first) == key_of(one.point); });
    });
    points = swept ? engine_points(device, request, known) : copy_sweeps(device, request, known);
  }
  for (Point& point : points) point.visits = measure::usual_visits;
  return points;
}

}  // namespace
}  // namespace copy_probe

const Probe copying{
    .name = "copy",
    .question =
        "How fast do copies between the host's memory and the device's go, by which engine, and beside kernels?",
    .curves = copy_probe::curves,
    .finding_kinds = copy_probe::finding_kinds,
    .next = copy_probe::next_copies,
    .conclude = copy_probe::conclude};

}  // namespace sonde::probes
