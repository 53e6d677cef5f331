// The roofline: what it is made of, and where its ridges are.

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "analysis/number_text.hpp"
#include "analysis/size_curves.hpp"
#include "probes/compute/compute.hpp"
#include "workloads/arithmetic/roofline.hpp"

namespace sonde::probes::compute_probe {
namespace {

/// A working set that fits the nearest cache of any device.
constexpr double nearest_bytes = 16 << 10;
/// So little of a working set of so many times the last cache is in that cache that it does not count.
constexpr double far_beyond_caches = 4;
/// Operations a byte go up to here in every level.
constexpr double usual_operations = 64;
/// Where loads and arithmetic take turns, a point so many times beyond the ridge is within a tenth of the roof.
constexpr double far_beyond_ridge = 10;
constexpr double most_operations = 1024;
/// A working set in memory is not smaller, even if no cache is stated.
constexpr double least_memory_bytes = 4 << 20;

/// Working sets by which levels are found.
constexpr Words words_of_sweep{.chain = single_words.chain,
                               .operation = single_words.operation,
                               .sharing = Sharing::shared,
                               .type = single_words.type};

double memory_bytes(const device::DeviceInfo& device, const Request& request) {
  double bytes = (device.type == device::DeviceType::cpu ? 64 : 128) << 20;
  bytes = std::max(bytes, far_beyond_caches * static_cast<double>(request.stated_cache_bytes));
  double most = 1e18;
  if (device.largest_buffer_bytes > 0) most = std::min(most, static_cast<double>(device.largest_buffer_bytes));
  if (device.memory_bytes > 0) most = std::min(most, static_cast<double>(device.memory_bytes) / 4);
  // Whole blocks for every group, however they are cut up.
  const double grain = workloads::compute_units_of(device) * 4.0 * (64 << 10);
  bytes = std::max(1.0, std::min(std::ceil(bytes / grain), std::floor(most / grain))) * grain;
  // Sizes that the user asked for always win.
  bytes = std::max(bytes, static_cast<double>(request.smallest_bytes.value_or(0)));
  return std::min(bytes, static_cast<double>(request.largest_bytes.value_or(~0ull)));
}

struct RooflineLevel {
  measure::Name name;
  Sharing sharing = Sharing::shared;
  double bytes = 0;
};

/// `ridge_at`: the level's ridge, 0 as long as it is not known. From memory some GPUs need a hundred operations a byte:
/// the dial goes on until arithmetic alone is the limit. The closest look has the values between, too.
std::vector<double> operations_wanted(Look look, double ridge_at) {
  const double times = look == Look::closest ? 2 : 4;
  std::vector<double> operations{0};
  for (double next = look == Look::closest ? 0.0625 : 0.25; next <= usual_operations; next *= times)
    operations.push_back(next);
  while (operations.back() < far_beyond_ridge * ridge_at && times * operations.back() <= most_operations)
    operations.push_back(times * operations.back());
  return operations;
}

/// The ridge by the level's bandwidth without operations; 0 where that is not known.
double ridge_of(const RooflineLevel& level, std::span<const Measurement> known) {
  const auto bandwidth = std::ranges::find_if(known, [&](const Measurement& one) {
    return is_at_level(one.point) && one.point.words.level == level.name && one.point.x.operations_per_byte == 0;
  });
  return bandwidth == known.end() ? 0 : median_of(*main_rate(known, NumberType::fp32)) / median_of(*bandwidth);
}

/// Memory; nothing where no larger sizes were asked for than caches may hold.
std::vector<RooflineLevel> memory_level(const device::DeviceInfo& device, const Request& request) {
  const double bytes = memory_bytes(device, request);
  const double least =
      std::max(least_memory_bytes, far_beyond_caches * static_cast<double>(request.stated_cache_bytes));
  if (bytes < least) return {};
  return {{"memory", Sharing::separate, bytes}};
}

RooflineLevel first_level() { return {"level 1", Sharing::shared, nearest_bytes}; }

/// The nearest, a size in each flat stretch of the bandwidth beyond, and memory: the stretch of the largest may be
/// that, and there no group may find in a cache what another has read.
std::vector<RooflineLevel> levels_of(const device::DeviceInfo& device, const Request& request,
                                     std::span<const Measurement> known) {
  // What a first visit saw stays, whatever later ones see: a level's points have one size.
  std::map<double, double> gbps_by_bytes;
  for (const Measurement& one : known) {
    if (one.point.words != words_of_sweep || !is_of_roofline(one.point)) continue;
    const std::size_t values = one.visits.empty() || one.visits.front() == 0 ? one.values.size() : one.visits.front();
    gbps_by_bytes[one.point.x.bytes.value()] = analysis::quantile(std::span(one.values).first(values), 0.5);
  }
  std::vector<RooflineLevel> levels{first_level()};
  for (const analysis::FlatStretch& stretch : analysis::flat_stretches(gbps_by_bytes, analysis::Trend::falls)) {
    if (stretch.first_bytes <= nearest_bytes || stretch.last_bytes == gbps_by_bytes.rbegin()->first) continue;
    const double middle = std::sqrt(stretch.first_bytes * stretch.last_bytes);
    const auto nearest = std::ranges::min_element(
        gbps_by_bytes, {}, [middle](const auto& entry) { return std::abs(std::log(entry.first / middle)); });
    levels.push_back({"level " + std::to_string(levels.size() + 1), Sharing::shared, nearest->first});
  }
  std::ranges::copy(memory_level(device, request), std::back_inserter(levels));
  return levels;
}

std::vector<Point> within_sizes(const Request& request, std::vector<Point> points) {
  std::erase_if(points, [&](const Point& one) { return !measure::is_asked_for(request, one.x.bytes.value()); });
  return points;
}

Point point_over(const Words& words, double operations_per_byte, double bytes) {
  const bool is_slope = operations_per_byte == 0;
  return point_on(is_slope ? roofline_bandwidth : roofline,
                  {.bytes = bytes, .operations_per_byte = operations_per_byte}, words, 0.1 + 3e-9 * bytes,
                  is_slope && words != words_of_sweep ? measure::usual_visits : 1);
}

Point point_at(const RooflineLevel& level, double operations_per_byte) {
  return point_over(with(single_words, {.level = level.name, .sharing = level.sharing}), operations_per_byte,
                    level.bytes);
}

/// A level's roof, and the points beneath it.
struct Roof {
  measure::Name level;  ///< "level 1" …, "memory"
  double bytes = 0;
  const Measurement* bandwidth = nullptr;  ///< GB/s
  std::vector<const Measurement*> points;  ///< Gop/s, by operations a byte
};

/// Nearer to the ridge both roofs count, and a point lies below either.
constexpr double near_the_ridge = 2;
/// A point that is so many times its roof is above it by more than rates of one device scatter.
constexpr double clearly_above = 1.1;

double operations_of(const Measurement& one) { return one.point.x.operations_per_byte.value(); }

/// The bandwidth of a level: the most that any of its points read, as some memories deliver more to loads that are not
/// all made at once.
double gbps_of(const Roof& roof) {
  double most = median_of(*roof.bandwidth);
  for (const Measurement* one : roof.points) most = std::max(most, median_of(*one) / operations_of(*one));
  return most;
}

/// The points away from the ridge, as shares of the lower of the two roofs there.
std::vector<double> shares_of_roof(const Roof& roof, double gbps, double peak_gops) {
  const double ridge_at = peak_gops / gbps;
  std::vector<double> shares;
  for (const Measurement* one : roof.points) {
    const double operations = operations_of(*one);
    if (operations * near_the_ridge > ridge_at && operations < ridge_at * near_the_ridge) continue;
    shares.push_back(median_of(*one) / std::min(peak_gops, gbps * operations));
  }
  return shares;
}

Finding above_the_peak(const Measurement& point, const Measurement& main) {
  return {.kind = &suspicious,
          .words = point.point.words,
          .value = six_digits(median_of(point)),
          .evidence = fmt::format(
              "With {} operations for each byte from {} fp32 reached {} Gop/s, but its rate by itself only "
              "{}: something else had part of the device then, and no ridge is concluded; measure again on an idle "
              "machine.",
              analysis::number_text(operations_of(point)), point.point.words.level.text(),
              analysis::number_text(median_of(point), 4), analysis::number_text(median_of(main), 4))};
}

/// The roofs whose bandwidth is known, nearest first.
std::vector<Roof> roofs_of(std::span<const Measurement> known) {
  std::map<std::pair<double, measure::Name>, Roof> roofs;
  for (const Measurement& one : known) {
    if (!is_at_level(one.point)) continue;
    Roof& roof = roofs[{one.point.x.bytes.value(), one.point.words.level}];
    roof.level = one.point.words.level;
    roof.bytes = one.point.x.bytes.value();
    if (operations_of(one) == 0) {
      roof.bandwidth = &one;
    } else {
      roof.points.push_back(&one);
    }
  }
  std::vector<Roof> found;
  for (auto& [where, roof] : roofs) {
    std::ranges::sort(roof.points, {}, [](const Measurement* one) { return operations_of(*one); });
    if (roof.bandwidth != nullptr) found.push_back(std::move(roof));
  }
  return found;
}

}  // namespace

std::vector<Point> bandwidths_of_ends(const device::DeviceInfo& device, const Request& request, bool with_first_level) {
  std::vector<Point> points;
  for (const RooflineLevel& level : memory_level(device, request)) points.push_back(point_at(level, 0));
  if (with_first_level) points.push_back(point_at(first_level(), 0));
  return within_sizes(request, points);
}

std::vector<Point> roofline_sweep(const device::DeviceInfo& device, const Request& request) {
  std::vector<Point> points;
  for (double bytes = nearest_bytes; bytes <= memory_bytes(device, request); bytes *= 2)
    points.push_back(point_over(words_of_sweep, 0, bytes));
  return within_sizes(request, points);
}

std::vector<Point> roofline_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known) {
  const Measurement* const main = main_rate(known, NumberType::fp32);
  if (main == nullptr) return {};
  std::vector<Point> points;
  // The registers hold as many words as this driver computed with best.
  const std::uint32_t words = workloads::arithmetic_shape_of(main->state.shape).numbers();
  for (const RooflineLevel& level : levels_of(device, request, known)) {
    for (const double operations : operations_wanted(request.look, ridge_of(level, known))) {
      points.push_back(point_at(level, operations));
      if (operations == 0) continue;
      points.back().shape = workloads::named(
          workloads::roofline_shape(device, level.sharing, static_cast<std::uint64_t>(level.bytes), words));
    }
  }
  return within_sizes(request, points);
}

Workload prepare_roofline(device::Device& device, const Point& point, const Request& request) {
  const Sharing sharing = point.words.sharing.value();
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  // No rate has told how many registers computing takes where nothing is computed.
  const workloads::RooflineShape shape = point.shape.empty()
                                             ? workloads::roofline_shape(device.info(), sharing, bytes, 0)
                                             : workloads::roofline_shape_of(point.shape);
  return workloads::roofline(device, sharing, shape, bytes, point.x.operations_per_byte.value(), request.seed);
}

std::vector<std::pair<const Measurement*, const Measurement*>> roofs_below_points(std::span<const Measurement> known) {
  const Measurement* const main = main_rate(known, NumberType::fp32);
  if (main == nullptr) return {};
  std::vector<std::pair<const Measurement*, const Measurement*>> found;
  for (const Roof& roof : roofs_of(known)) {
    for (const Measurement* point : roof.points) {
      const double slope_gops = median_of(*roof.bandwidth) * operations_of(*point);
      const double flat_gops = median_of(*main);
      if (median_of(*point) > clearly_above * std::min(slope_gops, flat_gops))
        found.emplace_back(slope_gops < flat_gops ? roof.bandwidth : main, point);
    }
  }
  return found;
}

std::vector<Finding> ridges(std::span<const Measurement> measurements) {
  const Measurement* const main = main_rate(measurements, NumberType::fp32);
  if (main == nullptr) return {};
  const auto below_points = roofs_below_points(measurements);
  std::vector<Finding> found;
  for (const Roof& roof : roofs_of(measurements)) {
    // The bandwidth roof already includes the fastest of its own points (gbps_of). The arithmetic roof comes from a
    // different kernel in another launch shape, so a point above it means that the peak was measured too low.
    const auto above = std::ranges::find_if(below_points, [&](const auto& pair) {
      return pair.first == main && std::ranges::find(roof.points, pair.second) != roof.points.end();
    });
    if (above != below_points.end()) {
      found.push_back(above_the_peak(*above->second, *main));
      continue;
    }
    const double peak_gops = median_of(*main);
    const double gbps = gbps_of(roof);
    const measure::SeenInRuns<double> seen(measurements, [&](std::span<const Measurement> some) {
      const std::vector<Roof> roofs = roofs_of(some);
      const auto same = std::ranges::find(roofs, roof.level, &Roof::level);
      return median_of(*main_rate(some, NumberType::fp32)) / gbps_of(same != roofs.end() ? *same : roof);
    });
    Finding& finding = found.emplace_back(
        finding_of(ridge, roof.bandwidth->point.words, seen.estimate(std::identity()),
                   fmt::format("fp32 needs {} operations a byte from {} ({}), which delivers {} GB/s, until its {} "
                               "Gop/s are the limit",
                               analysis::number_text(peak_gops / gbps), roof.level.text(), size_text(roof.bytes),
                               analysis::number_text(gbps, 4), analysis::number_text(peak_gops, 4))));
    finding.details = {{"bytes", roof.bytes}, {"gbps", six_digits(gbps)}, {"gops", six_digits(peak_gops)}};
    const std::vector<double> shares = shares_of_roof(roof, gbps, peak_gops);
    if (!shares.empty()) {
      const double least = std::ranges::min(shares);
      const double usual = analysis::quantile(shares, 0.5);
      finding.evidence += fmt::format(
          "; what was measured away from there reaches {:.2f} of the lower of the two in the "
          "median, {:.2f} at least",
          usual, least);
      finding.details["share_of_roof"] = six_digits(usual);
      finding.details["least_share_of_roof"] = six_digits(least);
    }
    finding.evidence += ".";
  }
  return found;
}

}  // namespace sonde::probes::compute_probe
