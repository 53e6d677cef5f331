// Question: how long does a cache line take from core to core, and how fast does data go that way?
//
// Experiment: two threads, each kept on a CPU of its own, pass a line to and fro: by compare-and-swap on one word, and
// by plain stores, each to a line that the other reads until it changes. Every ordered pair of cores does so over at
// least 32 lines at different offsets on different pages, as where a line's home is decides for one line alone. The
// memory is the first CPU's: written by it first, so that it stands on that CPU's node, and the pair in the other order
// has it at the other side. Two hardware threads of one core are a pair of their own.
//
// One way only: a CPU takes lines into its caches, changed or as memory has them, and the other walks through them,
// each load waiting for the one before. And a queue: one thread writes chunks of a line with a number and some data,
// the other reads each as soon as its number is there; all lines are flushed before, and no chunk is used twice.
// Writer's and reader's rate are told apart, as a store that was made is not yet data that came. Beside it a copy of 4
// GiB, written whole before it is read: by way of memory, whoever the two are. Where cores are many, pairs that share
// none exchange lines at once, some of them alone too.
//
// Where the user allows split locks: locked operations on one line and across two, and what they take from another
// core.
//
// How to read the table: blocks of near equal numbers are clusters that share a cache; what is between blocks goes over
// the fabric. Where the lines of one pair differ much, a home that lies elsewhere has a part in it.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/instructions.hpp"
#include "device/error.hpp"
#include "probes/catalog.hpp"
#include "probes/core_to_core/at_once.hpp"
#include "probes/core_to_core/bulk_copy.hpp"
#include "probes/core_to_core/conclusion.hpp"
#include "probes/core_to_core/exchange.hpp"
#include "probes/core_to_core/held_lines.hpp"
#include "probes/core_to_core/plan.hpp"
#include "probes/core_to_core/queue.hpp"
#include "probes/core_to_core/split_lock_plan.hpp"
#include "probes/core_to_core/split_locks.hpp"
#include "probes/core_to_core/split_loss.hpp"

namespace sonde::probes {
namespace {

using Series = std::map<std::string, std::string>;

constexpr int trials_of_a_copy = 3;

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose cores could exchange lines";
  if (device.api != device::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  const cpu::Topology& machine = cpu::machine();
  if (machine.cores.size() < 2 && machine.cores.front().siblings.empty()) {
    return "this process may use one CPU only, so nothing can be exchanged: give the machine or container two or more";
  }
  return std::nullopt;
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement>) {
  return core_to_core_points(cpu::machine(), request, device.memory_bytes);
}

/// The threads of one point and their memory, which is written on the first CPU.
template <typename Memory>
struct Work {
  Pair pair;
  Memory memory;

  template <typename... Arguments>
  explicit Work(const CpuPair& cpus, Arguments... arguments)
      : pair(cpus.from_cpu(), cpus.to_cpu()), memory(arguments...) {}
};

/// With less CPU time than the threads want they are put off their CPUs in turn.
void add_quota(std::map<std::string, double>& shape) {
  if (const auto quota = cpu::machine().quota) shape["cpu_quota"] = *quota;
}

/// A workload that observes what its work does in one go, which gets the work and what to call while that takes long; a
/// second curve of the same work differs in `second`.
template <typename Memory, typename Go>
Workload workload_of(const std::shared_ptr<Work<Memory>>& work, const char* unit, std::map<std::string, double> shape,
                     const Series& second, Go go) {
  shape["pinned"] = work->pair.pinned() ? 1 : 0;
  add_quota(shape);
  return {.unit = unit,
          .has_cycles = false,
          .shape = std::move(shape),
          .observe = [work, unit, second, go](const Limits&, const std::function<void()>& alive) {
            std::pair<std::vector<double>, std::vector<double>> found = go(*work, alive);
            alive();
            Repetitions repetitions;
            repetitions.values = std::move(found.first);
            if (!found.second.empty()) {
              repetitions.further.push_back({.series = second, .unit = unit, .values = std::move(found.second)});
            }
            return repetitions;
          }};
}

Workload exchanging(const CpuPair& cpus, const ExchangeSize& size, const Request& request) {
  const auto work = std::make_shared<Work<ExchangedLines>>(cpus, size, request.line_bytes, request.seed);
  const std::map<std::string, double> shape{
      {"lines", size.lines}, {"samples", size.samples}, {"round_trips", size.round_trips}};
  return workload_of(work, "ns", shape, {{"exchange", "store"}}, [](Work<ExchangedLines>& lines, const auto&) {
    std::vector<double> swapped = lines.memory.round_trips(lines.pair, Exchange::compare_and_swap);
    return std::pair(std::move(swapped), lines.memory.round_trips(lines.pair, Exchange::store));
  });
}

Workload exchanging_at_once(const std::vector<CpuPair>& pairs, const ExchangeSize& size, const Request& request) {
  std::map<std::string, double> shape{{"lines", size.lines},
                                      {"samples", size.samples},
                                      {"round_trips", size.round_trips},
                                      {"pairs_at_once", pairs.size()}};
  add_quota(shape);
  return {.unit = "ns",
          .has_cycles = false,
          .shape = std::move(shape),
          .observe = [pairs, size, line_bytes = request.line_bytes, seed = request.seed](
                         const Limits&, const std::function<void()>& alive) {
            bool pinned = false;
            std::vector<PairTimes> times = exchanges_at_once(pairs, size, line_bytes, seed, pinned);
            alive();
            // Which of them were wherever the system put them nobody can tell afterwards.
            if (!pinned) {
              throw device::Unsupported(fmt::format(
                  "the system does not keep threads on their CPUs, so {} pairs at once would be in each other's way: "
                  "allow sched_setaffinity",
                  pairs.size()));
            }
            Repetitions repetitions;
            for (std::size_t index = 0; index < pairs.size(); ++index) {
              const std::map<std::string, double> x{{"from", pairs[index].from_cpu()}, {"to", pairs[index].to_cpu()}};
              const std::string placement = placement_of(pairs[index]);
              if (index == 0) {
                repetitions.values = std::move(times[index].swapped);
              } else {
                repetitions.further.push_back({.series = {{"placement", placement}},
                                               .unit = "ns",
                                               .values = std::move(times[index].swapped),
                                               .x = x});
              }
              repetitions.further.push_back({.series = {{"placement", placement}, {"exchange", "store"}},
                                             .unit = "ns",
                                             .values = std::move(times[index].stored),
                                             .x = x});
            }
            return repetitions;
          }};
}

Workload walking_held_lines(const CpuPair& cpus, std::optional<int> node, const Request& request) {
  const int walks = request.effort == Effort::quick ? 15 : 31;
  const auto work = std::make_shared<Work<HeldLines>>(cpus, request.line_bytes, request.seed, node);
  const std::map<std::string, double> shape{{"lines", work->memory.size()}};
  return workload_of(work, "ns", shape, {{"line", "clean"}}, [walks](Work<HeldLines>& lines, const auto&) {
    std::vector<double> modified = lines.memory.walks(lines.pair, Held::modified, walks);
    if (!cpu::can_flush) return std::pair(std::move(modified), std::vector<double>());
    return std::pair(std::move(modified), lines.memory.walks(lines.pair, Held::clean, walks));
  });
}

Workload queueing(const CpuPair& cpus, double bytes, std::optional<int> node, const Request& request) {
  if (!cpu::can_flush) {
    throw device::Unsupported("on this kind of processor a program cannot flush lines, as this asks for");
  }
  const int trials = request.effort == Effort::quick ? 5 : 9;
  const auto data_bytes = static_cast<std::uint32_t>(bytes / queue_chunks);
  const auto work = std::make_shared<Work<ChunkQueue>>(cpus, queue_chunks, data_bytes, request.line_bytes, node);
  const std::map<std::string, double> shape{{"huge_pages", work->memory.on_huge_pages() ? 1 : 0}};
  return workload_of(work, "GB/s", shape, {{"role", "reader"}}, [trials](Work<ChunkQueue>& queue, const auto&) {
    QueueRates rates = queue.memory.trials(queue.pair, trials);
    return std::pair(std::move(rates.writer), std::move(rates.reader));
  });
}

Workload copying(const CpuPair& cpus, double bytes) {
  const auto work = std::make_shared<Work<BulkCopy>>(cpus, static_cast<std::uint64_t>(bytes));
  const std::map<std::string, double> shape{{"huge_pages", work->memory.on_huge_pages() ? 1 : 0}};
  return workload_of(work, "GB/s", shape, {{"role", "reader"}}, [](Work<BulkCopy>& copy, const auto& alive) {
    QueueRates rates = copy.memory.trials(copy.pair, trials_of_a_copy, alive);
    return std::pair(std::move(rates.writer), std::move(rates.reader));
  });
}

/// What one core, or one core beside others that lock, does with a word that begins at the point's address.
Workload locking(const Point& point, const Request& request) {
  const cpu::SplitLockRule rule = cpu::split_lock_rule();
  if (const auto reason = why_no_split_locks(rule)) throw device::Unsupported(*reason);
  const int values = request.effort == Effort::quick ? 5 : 9;
  const auto word = std::make_shared<LockedWord>(static_cast<std::uint32_t>(point.x.at("address")), request.line_bytes);
  std::map<std::string, double> shape;
  if (rule.slowed) shape["split_lock_mitigate"] = *rule.slowed ? 1 : 0;
  const bool alone = point.series.contains("exchange");
  const bool loads = point.series.contains("role");
  return {.unit = alone || loads ? "ns" : "GB/s",
          .has_cycles = false,
          .shape = std::move(shape),
          .observe = [=](const Limits&, const std::function<void()>& alive) {
            const SplitLockCores cores = split_lock_cores(cpu::machine());
            Repetitions repetitions;
            if (alone) {
              repetitions.values = locked_operations(cores.locking.back()->cpu, *word, values);
              return repetitions;
            }
            Loss loss = loss_while_locked(cores, *word, loads ? SlowedWork::load : SlowedWork::read,
                                          point.x.at("bytes"), request, values, alive);
            repetitions.values = std::move(loss.loaded);
            repetitions.further.push_back(
                {.series = {{"fabric", "idle"}}, .unit = loads ? "ns" : "GB/s", .values = std::move(loss.idle)});
            return repetitions;
          }};
}

Workload prepare(device::Device&, const Point& point, const Request& request) {
  if (is_of_split_locks(point)) return locking(point, request);
  const cpu::Topology& machine = cpu::machine();
  const std::optional<CpuPair> cpus = pair_of(point, machine, request.effort);
  if (!cpus) throw device::Unsupported(why_left_out(machine, request.effort));
  if (point.series.contains("fabric"))
    return exchanging_at_once(pairs_of(point, machine, request.effort), exchange_size(machine, request.effort),
                              request);
  if (point.series.contains("exchange")) return exchanging(*cpus, exchange_size(machine, request.effort), request);
  if (point.series.contains("pattern")) return copying(*cpus, point.x.at("bytes"));
  const auto at = point.x.find("node");
  const std::optional<int> node = at == point.x.end() ? std::nullopt : std::optional(static_cast<int>(at->second));
  if (point.series.contains("line")) return walking_held_lines(*cpus, node, request);
  return queueing(*cpus, point.x.at("bytes"), node, request);
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  conclusion.findings = findings_of_pairs(measurements);
  std::ranges::move(findings_of_split_locks(measurements), std::back_inserter(conclusion.findings));
  return conclusion;
}

}  // namespace

const Probe core_to_core{
    .name = "core-to-core",
    .question = "How long does a cache line take from core to core, and how fast does data go that way?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    .of_the_cpu = true};

}  // namespace sonde::probes
