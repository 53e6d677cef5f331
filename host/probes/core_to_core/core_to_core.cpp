// Question: how long does a cache line take from core to core, and how fast does data go that way?
// docs/method/core-to-core.md explains it.

#include <map>
#include <tuple>

#include "cpu/instructions.hpp"
#include "measure/asked_sizes.hpp"
#include "probes/catalog.hpp"
#include "probes/core_to_core/pair.hpp"

namespace sonde::probes {
namespace core_to_core_probe {
namespace {

/// The first points, which have a pair of each placement, and those of other pairs that take no longer together.
constexpr double seconds_at_once = 0.3;

constexpr int walks_through_held_lines = 15;
constexpr int trials_of_a_queue = 5;
constexpr int trials_of_a_copy = 3;

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose cores could exchange lines";
  if (device.api != device::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  const std::string reason = why_not_at_once(cpu::machine(), true);
  return reason.empty() ? std::nullopt : std::optional(reason);
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  // A large machine has tens of thousands of points: they are made once.
  static std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::vector<Point>> plans;
  std::vector<Point>& all =
      plans[{request.smallest_bytes.value_or(0), request.largest_bytes.value_or(~0ull), device.memory_bytes}];
  if (all.empty()) all = core_to_core_points(cpu::machine(), request, device.memory_bytes);
  return measure::first_new_points(
      request, known, [&] { return at_first(request, [&] { return within_seconds(request, all, seconds_at_once); }); },
      [&] { return within_seconds(request, all, seconds_of_look(request.look)); });
}

CpuPair pair_at(const Point& point) { return pair_of(point, cpu::machine()); }

std::optional<int> node_at(const Point& point) {
  return point.x.node ? std::optional(static_cast<int>(*point.x.node)) : std::nullopt;
}

/// The threads of one point and their memory, which is written on the first CPU.
template <typename Memory>
struct Work {
  PinnedPair pair;
  Memory memory;

  template <typename... Arguments>
  explicit Work(const CpuPair& cpus, Arguments... arguments)
      : pair(cpus.from_cpu(), cpus.to_cpu()), memory(arguments...) {}
};

/// With less CPU time than the threads want they are put off their CPUs in turn, so the shape has the quota.
template <typename Repeat>
Workload self_timed(Shape shape, Repeat repeat) {
  if (const auto quota = cpu::machine().quota) shape["cpu_quota"] = *quota;
  return {.work = SelfTimedWork{.repeat = std::move(repeat)}, .has_cycles = false, .shape = std::move(shape)};
}

/// Work that `measure_both` does in one go, the values of the point and those of a second curve: it gets the threads
/// and their memory, and what to call while that takes long.
template <typename Memory, typename MeasureBoth>
Workload workload_of(const std::shared_ptr<Work<Memory>>& work, Shape shape, const Curve& second,
                     MeasureBoth measure_both) {
  shape["pinned"] = work->pair.pinned() ? 1 : 0;
  return self_timed(std::move(shape), [work, &second, measure_both](const Limits&, const std::function<void()>& alive) {
    auto [values, of_second] = measure_both(*work, alive);
    alive();
    Repetitions repetitions{.values = std::move(values)};
    if (!of_second.empty()) repetitions.extra.push_back({.curve = &second, .values = std::move(of_second)});
    return repetitions;
  });
}

Shape shape_of(const ExchangeSize& size) {
  return {{"lines", size.lines}, {"samples", size.samples}, {"round_trips", size.round_trips}};
}

}  // namespace

Workload prepare_exchange(device::Device&, const Point& point, const Request& request) {
  const ExchangeSize size = exchange_size(cpu::machine());
  const auto work = std::make_shared<Work<ExchangedLines>>(pair_at(point), size, request.line_bytes, request.seed);
  return workload_of(work, shape_of(size), exchange_by_stores, [](Work<ExchangedLines>& lines, const auto&) {
    std::vector<double> swapped = lines.memory.round_trips(lines.pair, Exchange::compare_and_swap);
    return std::pair(std::move(swapped), lines.memory.round_trips(lines.pair, Exchange::store));
  });
}

Workload prepare_exchanges_at_once(device::Device&, const Point& point, const Request& request) {
  const cpu::Topology& machine = cpu::machine();
  // All groups are made at once, which takes milliseconds on a large machine: not again for each of them.
  static const Tournament tournament(machine, all_cores(machine));
  const std::vector<CpuPair> pairs = tournament.group_of(pair_at(point));
  const ExchangeSize size = exchange_size(machine);
  Shape shape = shape_of(size);
  shape["pairs_at_once"] = static_cast<double>(pairs.size());
  return self_timed(std::move(shape), [pairs, size, line_bytes = request.line_bytes, seed = request.seed](
                                          const Limits&, const std::function<void()>& alive) {
    std::vector<PairTimes> times = exchanges_at_once(pairs, size, line_bytes, seed);
    Repetitions repetitions{.values = std::move(times.front().by_compare_and_swap)};
    for (std::size_t index = 0; index < pairs.size(); ++index) {
      const auto add = [&](const Curve& curve, std::vector<double>& values) {
        repetitions.extra.push_back({.curve = &curve,
                                     .varied = {.placement = pairs[index].placement()},
                                     .values = std::move(values),
                                     .x = {.from = pairs[index].from_cpu(), .to = pairs[index].to_cpu()}});
      };
      if (index > 0) add(exchange_by_compare_and_swap_beside_pairs, times[index].by_compare_and_swap);
      add(exchange_by_stores_beside_pairs, times[index].by_stores);
    }
    alive();
    return repetitions;
  });
}

Workload prepare_held_lines(device::Device&, const Point& point, const Request& request) {
  const auto work = std::make_shared<Work<HeldLines>>(pair_at(point), request.line_bytes, request.seed, node_at(point));
  const Shape shape{{"lines", work->memory.size()}};
  return workload_of(work, shape, clean_line, [](Work<HeldLines>& lines, const auto&) {
    std::vector<double> modified = lines.memory.walks(lines.pair, LineState::modified, walks_through_held_lines);
    if (!cpu::can_flush) return std::pair(std::move(modified), std::vector<double>());
    return std::pair(std::move(modified), lines.memory.walks(lines.pair, LineState::clean, walks_through_held_lines));
  });
}

Workload prepare_queue(device::Device&, const Point& point, const Request& request) {
  const CpuPair cpus = pair_at(point);
  if (!cpu::can_flush) {
    throw device::Unsupported("on this kind of processor a program cannot flush lines, as this asks for");
  }
  const auto data_bytes = static_cast<std::uint32_t>(point.x.bytes.value() / queue_chunks);
  const auto work =
      std::make_shared<Work<ChunkQueue>>(cpus, queue_chunks, data_bytes, request.line_bytes, node_at(point));
  const Shape shape{{"huge_pages", cpu::has_huge_pages() ? 1 : 0}};
  return workload_of(work, shape, queue_reader, [](Work<ChunkQueue>& queue, const auto&) {
    return queue.memory.trials(queue.pair, trials_of_a_queue);
  });
}

Workload prepare_copy(device::Device&, const Point& point, const Request&) {
  const auto work = std::make_shared<Work<BulkCopy>>(pair_at(point), static_cast<std::uint64_t>(point.x.bytes.value()));
  const Shape shape{{"huge_pages", cpu::has_huge_pages() ? 1 : 0}};
  return workload_of(work, shape, copy_reader, [](Work<BulkCopy>& copy, const auto& alive) {
    return copy.memory.trials(copy.pair, trials_of_a_copy, alive);
  });
}

}  // namespace core_to_core_probe

const Probe core_to_core{
    .name = "core-to-core",
    .question = "How long does a cache line take from core to core, and how fast does data go that way?",
    .target = Target::host_cpu,
    .curves = core_to_core_probe::curves,
    .finding_kinds = core_to_core_probe::finding_kinds,
    .obstacle = core_to_core_probe::obstacle,
    .next = core_to_core_probe::next,
    .conclude = core_to_core_probe::conclude};

}  // namespace sonde::probes
