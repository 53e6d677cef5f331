// How much longer does the CPU wait for memory while the GPU uses it? docs/method/contention.md explains it.

#include <fmt/format.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "cpu/topology.hpp"
#include "probes/catalog.hpp"
#include "probes/contention/contention.hpp"

namespace sonde::probes {
namespace contention_probe {
namespace {

/// Tenths of the full load; the first ones spread over it, and the others lie between.
constexpr std::array tenths_by_worth{6, 8, 4, 2, 9, 7, 5, 3, 1};
constexpr std::size_t loads_at_first = 4;
constexpr double seconds_of_a_point = 0.25;
constexpr double seconds_of_a_search = 0.5;

bool without_readers(const Measurement& one) { return one.point.x.cpu_threads.value_or(0) == 0; }

/// The measurement on a curve at a load that was asked for, while no thread of the CPU reads; null where there is none.
const Measurement* at_load(std::span<const Measurement> known, const Curve& curve, double load) {
  const auto found = std::ranges::find_if(known, [&](const Measurement& one) {
    return one.unit == curve.unit.name && one.point.words == curve.words && without_readers(one) &&
           one.point.x.load.value_or(0) == load;
  });
  return found == known.end() ? nullptr : &*found;
}

bool is_main(const Measurement& one) {
  return one.unit == "ns" && one.point.words == walk_under_load.words && without_readers(one);
}

/// `times_idle` is by the pairs of stretches in which the point was measured; without them by the idle point.
LoadPoint load_point(std::span<const Measurement> known, const Measurement& at) {
  LoadPoint point{.load = at.point.x.load.value_or(0),
                  .gpu_gbps = at.point.x.gpu_gbps.value_or(0),
                  .latency_ns = median_of(at),
                  .measurement = &at};
  point.pairs = at_load(known, times_idle_under_load, point.load);
  const Measurement* const idle = at_load(known, walk_under_load, 0);
  if (point.pairs != nullptr) {
    point.times_idle = median_of(*point.pairs);
  } else if (idle != nullptr) {
    point.times_idle = point.latency_ns / median_of(*idle);
  }
  return point;
}

constexpr std::uint64_t mebibyte = 1 << 20;
/// On a CPU device and in a simulation large arrays take time to fill.
constexpr std::uint64_t array_bytes_of_cpus = 64 * mebibyte;
constexpr std::uint64_t array_bytes_of_gpus = 256 * mebibyte;

bool is_gpu(const device::DeviceInfo& info) {
  return info.type == device::DeviceType::discrete || info.type == device::DeviceType::integrated;
}

/// The shape that was found at full load, without the rounds of arithmetic, which are the load's own.
Shape shape_of_stream(const Measurement& full) {
  Shape shape = full.state.shape;
  shape.erase("rounds");
  shape.erase("same_silicon");
  return shape;
}

/// Cores on which threads may read: neither the walking thread's nor the last, which the driver needs.
std::vector<cpu::Core> readers_of(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return {};
  const cpu::Topology& machine = cpu::machine();
  std::vector<cpu::Core> others = other_cores(machine, quiet_core(machine, 0));
  if (!others.empty()) others.pop_back();
  // A CPU device's own threads have these cores.
  if (!is_gpu(device)) others.clear();
  return others;
}

/// Cores on which threads may move memory while nothing walks: all but the last, which the driver needs; on a CPU
/// device the one that was taken from it.
std::vector<cpu::Core> movers_of(const device::DeviceInfo& device) {
  const cpu::Topology& machine = cpu::machine();
  std::vector<cpu::Core> cores{quiet_core(machine, 0)};
  if (machine.cores.size() < 2) return {};
  const std::vector<cpu::Core> readers = readers_of(device);
  cores.insert(cores.end(), readers.begin(), readers.end());
  return cores;
}

/// Whether the user's --sizes have room for arrays beyond every cache.
bool allows_large_arrays(const Request& request) {
  return request.largest_bytes.value_or(~0ull) >= array_bytes_of_cpus &&
         request.smallest_bytes.value_or(0) <= 3 * array_bytes_of_cpus;
}

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return std::nullopt;
  // The driver has threads of its own beside the walk, a GPU's too.
  const std::string reason = why_not_at_once(cpu::machine());
  return reason.empty() ? std::nullopt : std::optional(reason);
}

std::vector<Point> next_contention(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known) {
  // One point says why nothing is measured.
  if (!allows_large_arrays(request))
    return measure::new_points(request, known, {contention_points(Request{}, {}, 0u).back()});
  if (device.type == device::DeviceType::model) return contention_points(request, known, std::nullopt);
  std::vector<Point> points = contention_points(request, known, static_cast<std::uint32_t>(readers_of(device).size()));
  const Measurement* full = at_load(known, walk_under_load, 1);
  if (!points.empty() || full == nullptr) return points;
  const auto most_movers = static_cast<std::uint32_t>(movers_of(device).size());
  return measure::new_points(request, known, reverse_points(request, most_movers, shape_of_stream(*full)));
}

std::uint64_t array_bytes_of(device::Device& device) {
  const std::uint64_t wanted = is_gpu(device.info()) ? array_bytes_of_gpus : array_bytes_of_cpus;
  return std::min(wanted, device.available_bytes() / 8);
}

void check_sizes(const Request& request) {
  if (allows_large_arrays(request)) return;
  throw device::Unsupported("its arrays have to lie beyond every cache, and --sizes leaves such out; include 64 MiB");
}

/// The curve by an end of its intervals.
std::vector<LoadPoint> bound_of(std::vector<LoadPoint> curve, std::span<const Measurement> measurements,
                                double analysis::Estimate::* bound) {
  for (LoadPoint& point : curve) {
    if (point.pairs != nullptr) point.times_idle = measure::margin(*point.pairs, measurements).*bound;
  }
  return curve;
}

Finding found_load(const std::vector<LoadPoint>& curve, std::span<const Measurement> measurements, int percent) {
  const double times = 1 + percent / 100.0;
  const std::optional<double> gbps = load_for(curve, times);
  Finding finding{.kind = percent == 10 ? &load_for_10_percent : &load_for_50_percent, .words = walk_under_load.words};
  const std::optional<double> earliest = load_for(bound_of(curve, measurements, &analysis::Estimate::high), times);
  const std::optional<double> latest = load_for(bound_of(curve, measurements, &analysis::Estimate::low), times);
  if (gbps) {
    finding.value = six_digits(*gbps);
    if (earliest) finding.low = six_digits(std::min(*earliest, *gbps));
    if (latest) finding.high = six_digits(std::max(*latest, *gbps));
    finding.evidence =
        fmt::format("Latency is {} % above idle from {} GB/s of the GPU on.", percent, analysis::number_text(*gbps));
    if (!latest) finding.evidence += " Another run may find that it never is.";
  } else {
    finding.evidence = fmt::format("Up to {} GB/s of the GPU latency never rose by {} %.",
                                   analysis::number_text(curve.back().gpu_gbps), percent);
    if (earliest)
      finding.evidence +=
          fmt::format(" Another run may find that it does, from {} GB/s on.", analysis::number_text(*earliest));
  }
  return finding;
}

std::optional<Finding> found_cpu_loss(std::span<const Measurement> measurements) {
  const Measurement* pairs = at_load(measurements, times_idle_under_load, 1);
  if (pairs == nullptr || pairs->values.size() < 2) return std::nullopt;
  const analysis::Estimate ratio = measure::margin(*pairs, measurements);
  std::string evidence = fmt::format(
      "At full load the CPU's loads took {} times as long as right before, with the GPU idle ({} to "
      "{} in another run).",
      analysis::number_text(ratio.value), analysis::number_text(ratio.low), analysis::number_text(ratio.high));
  if (const Measurement* control = at_load(measurements, times_idle_in_control, 1))
    evidence +=
        fmt::format(" With arrays in the GPU's first cache: {} times.", analysis::number_text(median_of(*control)));
  const auto loss = [](double times) { return 1 - 1 / times; };
  const analysis::Estimate lost{loss(ratio.low), loss(ratio.value), loss(ratio.high)};
  return finding_of(cpu_loss, walk_under_load.words, lost, evidence);
}

Conclusion conclude_contention(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  conclusion.findings = reverse_findings(measurements);
  const std::vector<LoadPoint> curve = load_curve(measurements);
  const Measurement* const idle = at_load(measurements, walk_under_load, 0);
  const Measurement* const full = at_load(measurements, walk_under_load, 1);
  if (idle == nullptr) return conclusion;
  const bool same_silicon = full != nullptr && full->state.shape.at("same_silicon") != 0;
  conclusion.findings.push_back(
      finding_of(idle_latency, walk_under_load.words, estimate(*idle, measurements),
                 fmt::format("With the GPU idle half of the CPU's windows took less than {} ns a load.{}",
                             analysis::number_text(median_of(*idle)),
                             same_silicon ? " Here the GPU is a driver on the same CPU's other cores." : "")));
  if (full == nullptr) return conclusion;
  conclusion.add({finding_of(full_load_latency, walk_under_load.words, estimate(*full, measurements),
                             fmt::format("While the GPU moved {} GB/s, the most it was brought to, a load took "
                                         "{} ns.",
                                         analysis::number_text(full->point.x.gpu_gbps.value_or(0)),
                                         analysis::number_text(median_of(*full)))),
                  found_load(curve, measurements, 10), found_load(curve, measurements, 50)});
  if (const auto loss = found_cpu_loss(measurements)) conclusion.findings.push_back(*loss);
  return conclusion;
}

}  // namespace

std::vector<LoadPoint> load_curve(std::span<const Measurement> known) {
  std::vector<LoadPoint> curve;
  for (const Measurement& one : known) {
    if (is_main(one)) curve.push_back(load_point(known, one));
  }
  std::ranges::sort(curve, {}, &LoadPoint::gpu_gbps);
  return curve;
}

std::optional<double> load_for(std::span<const LoadPoint> curve, double times) {
  for (std::size_t above = curve.size(); above > 0; --above) {
    const LoadPoint& low = curve[above - 1];
    if (low.times_idle >= times) continue;
    if (above == curve.size()) return std::nullopt;
    const LoadPoint& high = curve[above];
    const double share = (times - low.times_idle) / (high.times_idle - low.times_idle);
    return low.gpu_gbps + share * (high.gpu_gbps - low.gpu_gbps);
  }
  return std::nullopt;
}

std::vector<Point> contention_points(const Request& request, std::span<const Measurement> known,
                                     std::optional<std::uint32_t> most_threads) {
  const Measurement* const full = at_load(known, walk_under_load, 1);
  const auto point_at = [&](const Curve& curve, double load, double threads = 0) {
    return point_on(curve, {.cpu_threads = threads, .load = std::round(load * 1000) / 1000}, {}, seconds_of_a_point);
  };
  const auto ends = [&] {
    std::vector<Point> points{point_at(walk_under_load, 0), point_at(walk_under_load, 1)};
    for (Point& point : points) point.visits = measure::usual_visits;
    points.back().expected_seconds += seconds_of_a_search;
    return points;
  };
  // The reason for which full load failed stands in the record.
  const auto in_its_shape = [&](std::vector<Point> points) {
    if (full == nullptr || full->state.shape.empty()) return std::vector<Point>{};
    for (Point& point : points) point.shape = shape_of_stream(*full);
    return points;
  };
  const auto between = [&] {
    std::vector<Point> points;
    const std::size_t count = request.look == Look::first ? loads_at_first : tenths_by_worth.size();
    for (const int tenths : std::span(tenths_by_worth).first(count))
      points.push_back(point_at(walk_under_load, tenths / 10.0));
    points.push_back(point_at(walk_in_control, 1));
    if (request.look != Look::first) points.push_back(point_at(walk_in_control, 0.5));
    // The order is random, so that no slow change of the machine can imitate a curve.
    return in_its_shape(measure::shuffled(std::move(points), request.seed));
  };
  const auto beside_readers = [&] {
    std::vector<Point> points;
    if (most_threads == 0u) points.push_back(point_at(walk_under_load, 1, 1));
    for (std::uint32_t threads = 1; threads <= most_threads.value_or(0); threads *= 2) {
      points.push_back(point_at(walk_under_load, 1, threads));
      if (request.look == Look::first) continue;
      for (const double load : {0.0, 0.5}) points.push_back(point_at(walk_under_load, load, threads));
    }
    return in_its_shape(measure::shuffled(std::move(points), request.seed));
  };
  const auto where_latency_rises = [&] {
    std::vector<LoadPoint> loads = load_curve(known);
    std::ranges::sort(loads, {}, &LoadPoint::load);
    std::vector<Point> points;
    for (const double times : {1.1, 1.5}) {
      for (std::size_t at = loads.size(); at-- > 1;) {
        if (loads[at].times_idle < times) break;
        if (loads[at - 1].times_idle >= times) continue;
        const double apart = loads[at].load - loads[at - 1].load;
        const Point middle = point_at(walk_under_load, (loads[at].load + loads[at - 1].load) / 2);
        const bool is_new = points.empty() || points.back().x != middle.x;
        if (is_new && apart > by_look(request.look, 0.07, 0.02, 0.01)) points.push_back(middle);
        break;
      }
    }
    return in_its_shape(points);
  };
  return measure::first_new_points(request, known, ends, between, where_latency_rises, beside_readers);
}

Workload prepare_walk(device::Device& device, const Point& point, const Request& request) {
  check_sizes(request);
  return walk_beside_gpu(device, point, request, array_bytes_of(device), readers_of(device.info()));
}

Workload prepare_reverse(device::Device& device, const Point& point, const Request& request) {
  check_sizes(request);
  // A lap of one array is long enough for a walk.
  const std::uint64_t arrays = point.x.load == 0 ? 1 : 3;
  return reverse_workload(device, point, request, arrays * array_bytes_of(device), movers_of(device.info()));
}

}  // namespace contention_probe

const Probe contention{.name = "contention",
                       .question = "How much longer does the CPU wait for memory while the GPU uses it?",
                       .curves = contention_probe::curves,
                       .finding_kinds = contention_probe::finding_kinds,
                       .obstacle = contention_probe::obstacle,
                       .next = contention_probe::next_contention,
                       .conclude = contention_probe::conclude_contention,
                       .needs_host_core = true};

}  // namespace sonde::probes
