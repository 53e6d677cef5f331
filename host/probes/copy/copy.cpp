// How fast do copies between the host's memory and the device's go, by which engine, and beside kernels?
// docs/method/copy.md explains it.

#include <algorithm>
#include <cmath>

#include "measure/asked_sizes.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/copy/copy.hpp"

namespace sonde::probes {
namespace copy_probe {
namespace {

constexpr std::uint64_t smallest_copy_bytes = 4 << 10;
constexpr double usual_copy_bytes = 16 << 20;
/// Copies beside a kernel are large enough that their beginning does not matter, and far shorter than the kernel.
constexpr double beside_kernel_bytes = 1 << 20;
constexpr std::uint32_t most_queues = 8;

constexpr std::array all_hosts{HostMemory::pageable, HostMemory::pinned, HostMemory::imported, HostMemory::map_memcpy};

/// Doublings of the smallest copy in the order of their worth: a large copy tells the rate, a small one the latency.
constexpr std::array doublings_by_worth{12, 0, 8, 4, 14, 2, 6, 10, 16, 18, 13, 1, 3, 5, 7, 9, 11, 15, 17};
constexpr std::size_t sizes_of_a_line = 2;

/// Sizes of whole pages, as those are what is proved, in the order of their worth; among them both ends of what the
/// user asked for.
std::vector<double> sizes_of_copies(const Request& request) {
  std::vector<double> all;
  for (const int doublings : doublings_by_worth)
    all.push_back(static_cast<double>(smallest_copy_bytes << static_cast<unsigned>(doublings)));
  all = asked_sizes(request, all, proof_block_bytes);
  if (all.empty()) return all;
  const auto add = [&all](std::uint64_t pages) {
    const auto bytes = static_cast<double>(pages * proof_block_bytes);
    if (std::ranges::find(all, bytes) == all.end()) all.push_back(bytes);
  };
  if (request.largest_bytes) add(*request.largest_bytes / proof_block_bytes);
  if (request.smallest_bytes.value_or(0) > 0)
    add((*request.smallest_bytes + proof_block_bytes - 1) / proof_block_bytes);
  // The first is one that no clock is too slow for, and no device too small.
  const auto usual =
      std::ranges::min_element(all, {}, [](double bytes) { return std::abs(std::log(bytes / usual_copy_bytes)); });
  std::rotate(all.begin(), usual, usual + 1);
  return all;
}

Words way(Engine engine, std::optional<HostMemory> host, Direction direction = Direction::to_device) {
  return {.direction = direction, .engine = engine, .host = host};
}

Point copy_point(const Words& words, double bytes) {
  return point_on(*measure::find_curve(curves, words, "GB/s"), {.bytes = bytes}, words, 0.05 + 5e-9 * bytes,
                  measure::usual_visits);
}

/// Whether any copy by an engine, from and to this memory of the host, was measured; without one, within the device.
bool was_measured(std::span<const Measurement> known, Engine engine, std::optional<HostMemory> host) {
  return std::ranges::any_of(
      known, [&](const Measurement& one) { return one.point.words.engine == engine && one.point.words.host == host; });
}

/// The plan over sizes in the order of their worth; `at_look` has those of this look.
struct Plan {
  const Request& request;
  std::vector<double> sizes = sizes_of_copies(request);
  std::vector<double> at_look = sizes_at_look(request, sizes, 4, 8);

  /// The driver's copies of a large size and of a small one, of memory that programs copy most.
  [[nodiscard]] std::vector<Point> lines() const {
    std::vector<Point> points;
    for (const HostMemory host : {HostMemory::pinned, HostMemory::pageable}) {
      for (const double bytes : measure::first_of(sizes, sizes_of_a_line)) {
        for (const Direction direction : {Direction::to_device, Direction::to_host})
          points.push_back(copy_point(way(Engine::driver, host, direction), bytes));
      }
    }
    return points;
  }

  /// A copy on one way of each kind, so that what the device cannot do is skipped once. Its size is one that no clock
  /// is too slow for. The kernel's shape is found here.
  [[nodiscard]] std::vector<Point> first_copies() const {
    std::vector<Point> points;
    for (const double bytes : measure::first_of(sizes, 1)) {
      for (const HostMemory host : all_hosts) points.push_back(copy_point(way(Engine::driver, host), bytes));
      points.push_back(copy_point(way(Engine::driver, std::nullopt, Direction::within), bytes));
      points.push_back(copy_point(way(Engine::transfer, HostMemory::pinned), bytes));
      points.push_back(copy_point(way(Engine::compute_shader, HostMemory::pinned), bytes));
    }
    return points;
  }

  /// The sizes of this look, on all ways whose kind was measured.
  [[nodiscard]] std::vector<Point> sweeps(std::span<const Measurement> known) const {
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
      const bool copies_within = engine == Engine::driver ? was_measured(known, engine, std::nullopt)
                                                          : engine == Engine::compute_shader ||
                                                                was_measured(known, engine, HostMemory::pinned);
      if (copies_within) ways.push_back(way(engine, std::nullopt, Direction::within));
    }
    const Words searched = way(Engine::compute_shader, HostMemory::pinned);
    const Measurement* const shaped =
        sizes.empty() ? nullptr : measure::find(known, by_kernel, {.bytes = sizes.front()}, searched);
    std::vector<Point> points;
    for (const Words& words : ways) {
      for (const double bytes : at_look) {
        points.push_back(copy_point(words, bytes));
        const bool is_search = words == searched && bytes == sizes.front();
        if (words.engine == Engine::compute_shader && shaped != nullptr && !is_search)
          points.back().shape = shaped->state.shape;
      }
    }
    return measure::shuffled(std::move(points), request.seed);
  }

  /// The points that tell engines: several queues at once, and copies beside a kernel. They come after the sweeps, as a
  /// size that a curve cannot do ends it.
  [[nodiscard]] std::vector<Point> engines(std::span<const Measurement> known) const {
    std::vector<Point> points;
    for (const Engine engine : {Engine::driver, Engine::transfer}) {
      if (sizes.empty() || !was_measured(known, engine, host_of_engines)) continue;
      const auto [smallest, largest] = std::ranges::minmax(sizes);
      const double usual = sizes.front();
      for (const Direction direction : {Direction::to_device, Direction::to_host}) {
        const Words one_way = way(engine, host_of_engines, direction);
        for (const double bytes : usual == smallest ? std::vector{usual} : std::vector{usual, smallest}) {
          for (std::uint32_t queues = 2; queues <= most_queues; queues *= 2) {
            // Larger copies take turns on the bus: more than two queues of them tell nothing.
            if (queues != 2 && bytes != smallest) continue;
            points.push_back(copy_point(one_way, bytes));
            points.back().x.queues = queues;
          }
        }
        const Words beside = with(one_way, {.beside = Beside::kernel});
        if (smallest <= beside_kernel_bytes && beside_kernel_bytes <= largest)
          points.push_back(copy_point(beside, beside_kernel_bytes));
      }
      const Words both = with(way(engine, host_of_engines, Direction::both), {.counted = Counted::total});
      for (const double bytes : at_look) points.push_back(copy_point(both, bytes));
    }
    return points;
  }
};

std::vector<Point> next_copies(const device::DeviceInfo&, const Request& request, std::span<const Measurement> known) {
  const Plan plan{request};
  return measure::first_new_points(
      request, known, [&] { return at_first(request, [&] { return plan.lines(); }); },
      [&] { return plan.first_copies(); }, [&] { return plan.sweeps(known); }, [&] { return plan.engines(known); });
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
