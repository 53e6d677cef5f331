#include "probes/contention/reverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/statistics.hpp"
#include "device/error.hpp"
#include "measure/repetitions.hpp"
#include "measure/visits.hpp"
#include "probes/contention/cpu_load.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes {
namespace {

struct Threads {
  cpu::StreamDirection traffic;
  std::string_view word;  ///< of the series: what they do
  std::string_view verb;
};
constexpr std::array<Threads, 3> all_traffic{{{cpu::StreamDirection::both, "copy", "read and wrote"},
                                              {cpu::StreamDirection::read, "read", "read"},
                                              {cpu::StreamDirection::write, "write", "wrote"}}};

std::map<std::string, std::string> series_of(std::string_view word) {
  return {{"side", "gpu"}, {"pattern", std::string(word)}};
}

const Threads& threads_of(const Point& point) {
  const auto word = point.series.find("pattern");
  const auto found = std::ranges::find_if(all_traffic, [&](const Threads& one) { return one.word == word->second; });
  return *found;
}

const Measurement* find(std::span<const Measurement> measurements, std::string_view word, const char* unit, double load,
                        bool with_most_threads) {
  const Measurement* found = nullptr;
  for (const Measurement& one : measurements) {
    if (one.unit != unit || one.point.series != series_of(word) || one.point.x.at("load") != load) continue;
    const double threads = one.point.x.at("cpu_threads");
    if (with_most_threads ? threads > 0 && (found == nullptr || threads > found->point.x.at("cpu_threads"))
                          : threads == 0) {
      found = &one;
    }
  }
  return found;
}

/// The share of its bandwidth that the GPU keeps beside the most threads; both must have been measured.
analysis::Estimate kept_beside(std::span<const Measurement> measurements, std::string_view word) {
  const auto share = [word](std::span<const Measurement> some) {
    return median_of(*find(some, word, "GB/s", 1, true)) / median_of(*find(some, word, "GB/s", 1, false));
  };
  return measure::SeenByVisit<double>(measurements, share).estimate([](double one) { return one; });
}

}  // namespace

bool is_reverse(const Point& point) {
  const auto side = point.series.find("side");
  return point.series.size() == 2 && point.series.contains("pattern") && side != point.series.end() &&
         side->second == "gpu";
}

std::vector<Point> reverse_points(const Request& request, std::uint32_t most_threads,
                                  const std::map<std::string, double>& shape) {
  const bool quick = request.effort == Effort::quick;
  const auto point = [&](const Threads& threads, double load, double count) {
    const bool is_compared = count == 0 || count == most_threads;
    return Point{.series = series_of(threads.word),
                 .x = {{"load", load}, {"cpu_threads", count}},
                 .expected_seconds = quick ? 0.6 : 1.0,
                 .visits = is_compared ? measure::usual_visits(request.effort) : 1,
                 .shape = shape};
  };
  // One point says why there are no others.
  if (most_threads == 0) return {point(all_traffic.front(), 0, 1)};
  std::vector<double> counts{0};
  for (std::uint32_t threads = 1; threads < most_threads && !quick; threads *= 2) counts.push_back(threads);
  counts.push_back(most_threads);
  std::vector<Point> points;
  for (const Threads& threads : all_traffic) {
    for (const double load : {0.0, 1.0}) {
      for (const double count : counts) points.push_back(point(threads, load, count));
    }
    if (quick) break;
  }
  return points;
}

Workload reverse_workload(device::Device& device, const Point& point, const Request& request, std::uint64_t bytes,
                          std::span<const cpu::Core> cores) {
  const auto count = static_cast<std::size_t>(point.x.at("cpu_threads"));
  if (cores.empty() || count > cores.size()) {
    throw device::Unsupported("of the " + std::to_string(cpu::machine().cores.size()) +
                           " cores that this process may use none is left beside the driver's; allow it two");
  }
  const Workload alone = point.x.at("load") == 0
                             ? workloads::cycle_chase(device, static_cast<std::uint32_t>(bytes / request.line_bytes),
                                                      request.line_bytes, request.seed)
                             : workloads::stream(device, workloads::Pattern::add, workloads::Sharing::separate,
                                                 workloads::shape_of(point.shape), bytes, request.seed);
  Workload beside = alone;
  // That would bring the CPU's threads together with the device's.
  beside.one_core = false;
  std::shared_ptr<CpuLoad> load;
  if (count > 0) load = std::make_shared<CpuLoad>(cores.first(count), threads_of(point).traffic);
  beside.observe = [alone, load](const Limits& limits, const std::function<void()>& alive) {
    if (load) load->begin();
    Repetitions all = repeat(alone, limits, alive);
    if (load) all.further.push_back({.series = {{"side", "cpu"}}, .unit = "GB/s", .values = {load->gbps()}});
    return all;
  };
  return beside;
}

std::vector<Finding> reverse_findings(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Threads& threads : all_traffic) {
    const Measurement* alone = find(measurements, threads.word, "GB/s", 1, false);
    const Measurement* beside = find(measurements, threads.word, "GB/s", 1, true);
    if (alone == nullptr || beside == nullptr) continue;
    const double count = beside->point.x.at("cpu_threads");
    const analysis::Estimate kept = kept_beside(measurements, threads.word);
    std::string evidence =
        fmt::format("While {:.3g} CPU thread{} {} at full speed the GPU moved {:.3g} GB/s instead of {:.3g} GB/s",
                    count, count > 1 ? "s" : "", threads.verb, median_of(*beside), median_of(*alone));
    if (std::isfinite(kept.high)) {
      evidence += fmt::format(" ({:.3g} to {:.3g} of it in another run)", kept.low, kept.high);
    }
    const Measurement* walk_alone = find(measurements, threads.word, "ns", 0, false);
    const Measurement* walk_beside = find(measurements, threads.word, "ns", 0, true);
    if (walk_alone != nullptr && walk_beside != nullptr) {
      evidence += fmt::format(", and one of its loads took {:.3g} ns instead of {:.3g} ns", median_of(*walk_beside),
                              median_of(*walk_alone));
    }
    Finding finding{.series = series_of(threads.word), .name = "gpu-loss", .unit = "ratio", .evidence = evidence + "."};
    measure::state(finding, {1 - kept.high, 1 - kept.value, 1 - kept.low});
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace sonde::probes
