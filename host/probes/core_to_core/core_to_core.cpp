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
// Writer's and reader's rate are told apart, as a store that was made is not yet data that came.
//
// How to read the table: blocks of near equal numbers are clusters that share a cache; what is between blocks goes over
// the fabric. Where the lines of one pair differ much, a home that lies elsewhere has a part in it.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "cpu/flush.hpp"
#include "gpu/error.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/core_to_core/exchange.hpp"
#include "probes/core_to_core/held_lines.hpp"
#include "probes/core_to_core/plan.hpp"
#include "probes/core_to_core/queue.hpp"

namespace sonde::probes {
namespace {

using Series = std::map<std::string, std::string>;

std::optional<std::string> obstacle(const gpu::DeviceInfo& device) {
  if (device.type == gpu::DeviceType::model) return "a simulated GPU has no CPU whose cores could exchange lines";
  if (device.api != gpu::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  const cpu::Topology& machine = cpu::machine();
  if (machine.cores.size() < 2 && machine.cores.front().siblings.empty()) {
    return "this process may use one CPU only, so nothing can be exchanged: give the machine or container two or more";
  }
  return std::nullopt;
}

std::vector<Point> next(const gpu::DeviceInfo&, const Request& request, std::span<const Measurement>) {
  return core_to_core_points(cpu::machine(), request);
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

/// A workload that observes what its work does in one go; a second curve of the same work differs in `second`.
template <typename Memory, typename Go>
Workload workload_of(const std::shared_ptr<Work<Memory>>& work, const char* unit, std::map<std::string, double> shape,
                     const Series& second, Go go) {
  shape["pinned"] = work->pair.pinned() ? 1 : 0;
  return {.unit = unit,
          .has_cycles = false,
          .shape = std::move(shape),
          .observe = [work, unit, second, go](const Limits&, const std::function<void()>& alive) {
            std::pair<std::vector<double>, std::vector<double>> found = go(*work);
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
  return workload_of(work, "ns", shape, {{"exchange", "store"}}, [](Work<ExchangedLines>& lines) {
    std::vector<double> swapped = lines.memory.round_trips(lines.pair, Exchange::compare_and_swap);
    return std::pair(std::move(swapped), lines.memory.round_trips(lines.pair, Exchange::store));
  });
}

Workload walking_held_lines(const CpuPair& cpus, const Request& request) {
  const int walks = request.effort == Effort::quick ? 15 : 31;
  const auto work = std::make_shared<Work<HeldLines>>(cpus, request.line_bytes, request.seed);
  const std::map<std::string, double> shape{{"lines", work->memory.size()}};
  return workload_of(work, "ns", shape, {{"line", "clean"}}, [walks](Work<HeldLines>& lines) {
    std::vector<double> modified = lines.memory.walks(lines.pair, Held::modified, walks);
    if (!cpu::can_flush) return std::pair(std::move(modified), std::vector<double>());
    return std::pair(std::move(modified), lines.memory.walks(lines.pair, Held::clean, walks));
  });
}

Workload queueing(const CpuPair& cpus, double bytes, const Request& request) {
  if (!cpu::can_flush) {
    throw gpu::Unsupported("on this kind of processor a program cannot flush lines, as this asks for");
  }
  const int trials = request.effort == Effort::quick ? 5 : 9;
  const auto data_bytes = static_cast<std::uint32_t>(bytes / queue_chunks);
  const auto work = std::make_shared<Work<ChunkQueue>>(cpus, queue_chunks, data_bytes, request.line_bytes);
  const std::map<std::string, double> shape{{"huge_pages", work->memory.on_huge_pages() ? 1 : 0}};
  return workload_of(work, "GB/s", shape, {{"role", "reader"}}, [trials](Work<ChunkQueue>& queue) {
    QueueRates rates = queue.memory.trials(queue.pair, trials);
    return std::pair(std::move(rates.writer), std::move(rates.reader));
  });
}

Workload prepare(gpu::Device&, const Point& point, const Request& request) {
  const cpu::Topology& machine = cpu::machine();
  const std::optional<CpuPair> cpus = pair_of(point, machine, request.effort);
  if (!cpus) throw gpu::Unsupported(why_left_out(machine, request.effort));
  if (point.series.contains("exchange")) return exchanging(*cpus, exchange_size(machine, request.effort), request);
  if (point.series.contains("line")) return walking_held_lines(*cpus, request);
  return queueing(*cpus, point.x.at("bytes"), request);
}

/// All pairs of one placement that did one thing, of which the medians are compared.
struct Group {
  double median = 0;
  std::size_t pairs = 0;
  const Measurement* least = nullptr;
  const Measurement* most = nullptr;
  double widest = 1;  ///< the most that a pair's slowest line or trial is of its fastest
};
using Groups = std::map<Series, Group>;

/// Of a queue only the smaller chunks, which are the study's.
bool counts(const Measurement& one) {
  const auto bytes = one.point.x.find("bytes");
  return !one.values.empty() && (bytes == one.point.x.end() || bytes->second <= queue_chunks * 512.0);
}

Groups groups_of(std::span<const Measurement> measurements) {
  std::map<Series, std::vector<double>> medians;
  Groups groups;
  for (const Measurement& one : measurements) {
    if (!counts(one)) continue;
    Group& group = groups[one.point.series];
    const double median = median_of(one);
    medians[one.point.series].push_back(median);
    if (group.least == nullptr || median < median_of(*group.least)) group.least = &one;
    if (group.most == nullptr || median > median_of(*group.most)) group.most = &one;
    const auto [least, most] = std::ranges::minmax(one.values);
    if (least > 0) group.widest = std::max(group.widest, most / least);
    ++group.pairs;
  }
  for (auto& [series, group] : groups) group.median = analysis::quantile(medians.at(series), 0.5);
  return groups;
}

std::string cpus_of(const Measurement& one) {
  return fmt::format("CPU {:g} to CPU {:g}", one.point.x.at("from"), one.point.x.at("to"));
}

/// "two CPUs of the same cluster".
std::string where(const Series& series) {
  const std::string& placement = series.at("placement");
  if (placement == "same-core") return "the two hardware threads of a core";
  if (placement == "same-cluster") return "cores of the same cluster";
  return placement == "other-node" ? "cores of different nodes" : "cores of different clusters";
}

/// The word of a finding, and what its sentence says was measured.
std::pair<const char*, std::string> said_of(const Series& series) {
  if (series.contains("exchange")) {
    const bool swap = series.at("exchange") == "compare-and-swap";
    return {"exchange-latency",
            fmt::format("a round trip of a line {} took", swap ? "by compare-and-swap" : "by stores to two lines")};
  }
  if (series.contains("line")) {
    return {"held-line-latency", fmt::format("a load of a {} line that the other core held took", series.at("line"))};
  }
  return {"queue-rate", fmt::format("the {} of a queue of chunks of 512 bytes moved", series.at("role"))};
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  const measure::SeenByVisit<Groups> seen(measurements, groups_of);
  Conclusion conclusion;
  for (const auto& [series, group] : seen.all()) {
    const auto [word, what] = said_of(series);
    const std::string unit = group.least->unit;
    Finding finding{.series = series, .name = word, .unit = unit};
    measure::state(finding, seen.estimate([&series = series](const Groups& groups) {
      const auto found = groups.find(series);
      return found == groups.end() ? 0.0 : found->second.median;
    }));
    finding.evidence = fmt::format("Between {} {} {:.3g} {}", where(series), what, group.median, unit);
    finding.evidence +=
        group.pairs > 1
            ? fmt::format(", the median of {} ordered pairs; from {:.3g} ({}) to {:.3g} ({}).", group.pairs,
                          median_of(*group.least), cpus_of(*group.least), median_of(*group.most), cpus_of(*group.most))
            : fmt::format(" ({}).", cpus_of(*group.least));
    if (series.contains("exchange")) {
      finding.evidence +=
          fmt::format(" Over the lines of one pair the slowest took up to {:.2f} times the fastest.", group.widest);
    }
    conclusion.findings.push_back(finding);
  }
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
