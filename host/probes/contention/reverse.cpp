// The reverse of contention: what threads of the CPU cost the GPU, and those threads.

#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "analysis/number_text.hpp"
#include "measure/repetitions.hpp"
#include "probes/contention/contention.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::probes::contention_probe {
namespace {

constexpr std::uint64_t least_bytes_a_thread = 128 << 20;
constexpr std::uint64_t page_bytes = 64 << 10;
constexpr std::chrono::seconds longest_wait{5};
constexpr double seconds_beside_threads = 0.6;

device::Unsupported kept_waiting(std::size_t threads) {
  return device::Unsupported("of " + std::to_string(threads) +
                             " CPU threads the system did not run all meanwhile, because other programs have their "
                             "cores: measure again when those are idle");
}

struct ThreadTraffic {
  cpu::StreamDirection direction;
  Pattern pattern;  ///< what the threads do
  std::string_view verb;
};
constexpr std::array<ThreadTraffic, 3> all_traffic{{{cpu::StreamDirection::both, Pattern::copy, "read and wrote"},
                                                    {cpu::StreamDirection::read, Pattern::read, "read"},
                                                    {cpu::StreamDirection::write, Pattern::write, "wrote"}}};

/// The measurement with a pattern, alone or beside the most threads; null where there is none.
const Measurement* find(std::span<const Measurement> measurements, const Curve& curve, Pattern pattern,
                        bool with_most_threads) {
  const Words words = with(curve.words, {.pattern = pattern});
  const double load = &curve == &gpu_latency ? 0 : 1;
  const Measurement* found = nullptr;
  for (const Measurement& one : measurements) {
    if (one.unit != curve.unit.name || one.point.words != words || one.point.x.load != load) continue;
    const double threads = one.point.x.cpu_threads.value();
    if (with_most_threads ? threads > 0 && (found == nullptr || threads > found->point.x.cpu_threads.value())
                          : threads == 0) {
      found = &one;
    }
  }
  return found;
}

}  // namespace

CpuLoad::CpuLoad(std::span<const cpu::Core> cores, cpu::StreamDirection traffic) {
  for (const cpu::Core& core : cores) {
    // The threads of a cluster share its furthest cache, and are beyond it together: memory of their own beyond it took
    // the most of a minute to fill on 16 cores with 300 MiB.
    const auto sharing = static_cast<std::uint64_t>(std::ranges::count(cores, core.cluster, &cpu::Core::cluster));
    const std::uint64_t bytes =
        std::max(least_bytes_a_thread, 2 * cpu::machine().furthest_cache_bytes / sharing / page_bytes * page_bytes);
    threads_.push_back(std::make_unique<cpu::Streamer>(core.cpu, bytes, traffic, cpu::Pace::full));
  }
  // A thread that the system has yet to start loads nothing.
  const auto latest = std::chrono::steady_clock::now() + longest_wait;
  for (const auto& thread : threads_) {
    while (thread->bytes_moved() == 0) {
      if (std::chrono::steady_clock::now() > latest) throw kept_waiting(threads_.size());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  begin();
}

void CpuLoad::begin() {
  moved_.clear();
  for (const auto& thread : threads_) moved_.push_back(thread->bytes_moved());
  begin_ = std::chrono::steady_clock::now();
}

double CpuLoad::gbps() const {
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin_;
  double bytes = 0;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    const std::uint64_t moved = threads_[thread]->bytes_moved() - moved_[thread];
    if (moved == 0) throw kept_waiting(threads_.size());
    bytes += static_cast<double>(moved);
  }
  return bytes / time.count();
}

std::vector<Point> reverse_points(const Request& request, std::uint32_t most_threads, const Shape& shape) {
  const auto point_of = [&](Pattern pattern, double load, double count) {
    const bool is_compared = count == 0 || count == most_threads;
    Point point = point_on(load == 0 ? gpu_latency : gpu_bandwidth, {.cpu_threads = count, .load = load},
                           {.pattern = pattern}, seconds_beside_threads, is_compared ? measure::usual_visits : 1);
    point.shape = shape;
    return point;
  };
  // One point says why there are no others.
  if (most_threads == 0) return {point_of(all_traffic.front().pattern, 0, 1)};
  std::vector<double> counts{0, 1.0 * most_threads};
  const bool is_first = request.look == Look::first;
  for (std::uint32_t threads = 1; threads < most_threads && !is_first; threads *= 2) counts.push_back(threads);
  std::vector<Point> points;
  for (const ThreadTraffic& traffic : std::span(all_traffic).first(is_first ? 1 : all_traffic.size())) {
    for (const double load : {1.0, 0.0}) {
      for (const double count : counts) points.push_back(point_of(traffic.pattern, load, count));
    }
  }
  return points;
}

Workload reverse_workload(device::Device& device, const Point& point, const Request& request, std::uint64_t bytes,
                          std::span<const cpu::Core> cores) {
  const auto count = static_cast<std::size_t>(point.x.cpu_threads.value());
  if (cores.empty() || count > cores.size()) {
    throw device::Unsupported("of the " + std::to_string(cpu::machine().cores.size()) +
                              " cores that this process may use none is left beside the driver's; allow it two");
  }
  Workload workload = point.x.load == 0
                          ? workloads::cycle_chase(device, static_cast<std::uint32_t>(bytes / request.line_bytes),
                                                   request.line_bytes, request.seed)
                          : workloads::stream(device, Pattern::add, Sharing::separate, workloads::shape_of(point.shape),
                                              bytes, request.seed);
  // One core would bring the CPU's threads together with the device's.
  workload.one_core = false;
  std::shared_ptr<CpuLoad> load;
  const auto traffic = std::ranges::find(all_traffic, point.words.pattern.value(), &ThreadTraffic::pattern);
  if (count > 0) load = std::make_shared<CpuLoad>(cores.first(count), traffic->direction);
  workload.work = SelfTimedWork{
      [alone = std::get<SteppedWork>(workload.work), load](const Limits& limits, const std::function<void()>& alive) {
        if (load) load->begin();
        Repetitions all = measure::repeat(alone, limits, alive);
        if (load) all.extra.push_back({.curve = &cpu_bandwidth, .values = {load->gbps()}});
        return all;
      }};
  return workload;
}

std::vector<Finding> reverse_findings(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const ThreadTraffic& traffic : all_traffic) {
    const Measurement* alone = find(measurements, gpu_bandwidth, traffic.pattern, false);
    const Measurement* beside = find(measurements, gpu_bandwidth, traffic.pattern, true);
    if (alone == nullptr || beside == nullptr) continue;
    const double count = beside->point.x.cpu_threads.value();
    const auto kept_share = [&traffic](std::span<const Measurement> some) {
      return median_of(*find(some, gpu_bandwidth, traffic.pattern, true)) /
             median_of(*find(some, gpu_bandwidth, traffic.pattern, false));
    };
    const analysis::Estimate kept = measure::SeenInRuns<double>(measurements, kept_share).margin(std::identity());
    std::string evidence = fmt::format(
        "While {} CPU thread{} {} at full speed the GPU moved {} GB/s instead of {} GB/s ({} "
        "to {} of it in another run)",
        analysis::number_text(count), count > 1 ? "s" : "", traffic.verb, analysis::number_text(median_of(*beside)),
        analysis::number_text(median_of(*alone)), analysis::number_text(kept.low), analysis::number_text(kept.high));
    const Measurement* walk_alone = find(measurements, gpu_latency, traffic.pattern, false);
    const Measurement* walk_beside = find(measurements, gpu_latency, traffic.pattern, true);
    if (walk_alone != nullptr && walk_beside != nullptr) {
      evidence +=
          fmt::format(", and one of its loads took {} ns instead of {} ns",
                      analysis::number_text(median_of(*walk_beside)), analysis::number_text(median_of(*walk_alone)));
    }
    const analysis::Estimate lost{1 - kept.high, 1 - kept.value, 1 - kept.low};
    findings.push_back(finding_of(gpu_loss, beside->point.words, lost, evidence + "."));
  }
  return findings;
}

}  // namespace sonde::probes::contention_probe
