#include <fmt/format.h>

#include <map>

#include "measure/visits.hpp"
#include "probes/compute/compute.hpp"

namespace sonde::probes::compute_probe {
namespace {

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
              "With {:.3g} operations for each byte from {} fp32 reached {:.4g} Gop/s, but its rate by itself only "
              "{:.4g}: something else had part of the device then, and no ridge is concluded; measure again on an idle "
              "machine.",
              operations_of(point), point.point.words.level.text(), median_of(point), median_of(main))};
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
    const measure::SeenByVisit<double> visits(measurements, [&](std::span<const Measurement> some) {
      const std::vector<Roof> roofs = roofs_of(some);
      const auto same = std::ranges::find(roofs, roof.level, &Roof::level);
      return median_of(*main_rate(some, NumberType::fp32)) / gbps_of(same != roofs.end() ? *same : roof);
    });
    Finding& finding = found.emplace_back(finding_of(
        ridge, roof.bandwidth->point.words, visits.estimate([](double one) { return one; }),
        fmt::format("fp32 needs {:.3g} operations a byte from {} ({}), which delivers {:.4g} GB/s, until its {:.4g} "
                    "Gop/s are the limit",
                    peak_gops / gbps, roof.level.text(), size_text(roof.bytes), gbps, peak_gops)));
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
