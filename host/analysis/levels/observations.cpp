#include "analysis/levels/observations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sonde::analysis::curve {
namespace {

constexpr std::size_t fewest_of_an_order = 5;

/// The slope at each point, by least squares over half an octave to either side.
std::vector<double> slopes(const std::vector<double>& log2_bytes, const std::vector<double>& log_ns) {
  std::vector<double> all;
  for (const double at : log2_bytes) {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < log2_bytes.size(); ++i) {
      const double off = log2_bytes[i] - at;
      if (std::abs(off) > 0.5) continue;
      count += 1;
      x += off;
      y += log_ns[i];
      xx += off * off;
      xy += off * log_ns[i];
    }
    const double variance = count * xx - x * x;
    all.push_back(count > 2 && variance > 1e-9 ? (count * xy - x * y) / variance / std::log(2.0) : 0);
  }
  return all;
}

double base_noise(const std::vector<double>& log_ns, const Constants& constants) {
  const std::vector<double> medians = running_median(log_ns, 2);
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < log_ns.size(); ++i) off.push_back(std::abs(log_ns[i] - medians[i]));
  return std::max(constants.least_noise, off.empty() ? 0 : 1.4826 * quantile(off, 0.5));
}

/// How far points on a climb lie off the line between their neighbours, as a share of what is expected of `errors`; 1
/// where the curve spans so much more than slopes are read over that these tell its climbs from its plateaus.
double roughness(const std::vector<double>& log2_bytes, const std::vector<double>& log_ns,
                 const std::vector<double>& errors, double base) {
  constexpr std::size_t fewest = 6;
  constexpr double least = 0.25;
  constexpr double widest = 2;
  if (log2_bytes.empty() || log2_bytes.back() - log2_bytes.front() > widest) return 1;
  std::vector<double> ratios;
  for (std::size_t i = 1; i + 1 < log_ns.size(); ++i) {
    if (errors[i] < base) continue;
    const double share = (log2_bytes[i] - log2_bytes[i - 1]) / (log2_bytes[i + 1] - log2_bytes[i - 1]);
    const double off = log_ns[i] - std::lerp(log_ns[i - 1], log_ns[i + 1], share);
    ratios.push_back(std::abs(off) / std::hypot(errors[i], share * errors[i + 1], (1 - share) * errors[i - 1]));
  }
  if (ratios.size() < fewest) return 1;
  constexpr double three_quarters_of_normal = 1.15;
  return std::clamp(quantile(ratios, 0.75) / three_quarters_of_normal, least, 1.0);
}

}  // namespace

Observations observe(const LatencyCurves& curves, const Constants& constants) {
  Observations all;
  const std::size_t count = curves.cycle.size() + curves.independent.size() + curves.page.size();
  all.log2_bytes.resize(static_cast<Eigen::Index>(count));
  all.log2_touched = all.latency = all.interference = all.weight = all.log2_bytes;
  all.line_bytes = curves.line_bytes;
  all.cpu_page_bytes = curves.cpu_page_bytes;
  all.of_streams = curves.of_streams;
  all.has_independent = curves.independent.size() >= fewest_of_an_order;
  all.has_page_walks = !curves.page.empty() || !curves.strides.empty();
  all.has_page = curves.page.size() >= fewest_of_an_order;
  all.least_log2 = std::log2(curves.cycle.front().bytes);
  all.most_log2 = std::log2(curves.cycle.back().bytes);
  if (all.has_page) all.most_log2_of_pages = std::log2(curves.page.back().bytes);
  Eigen::Index row = 0;
  for (const auto& [order, points] :
       {std::pair{LoadOrder::cycle, &curves.cycle}, std::pair{LoadOrder::independent, &curves.independent},
        std::pair{LoadOrder::page, &curves.page}}) {
    std::vector<double> log2_bytes;
    std::vector<double> log_ns;
    for (const CurvePoint& point : *points) {
      log2_bytes.push_back(std::log2(point.bytes));
      log_ns.push_back(std::log(std::max(1e-9, median_of(point))));
    }
    if (order == LoadOrder::cycle) all.base_noise = base_noise(log_ns, constants);
    const double per_line = order == LoadOrder::page ? curves.page_bytes : curves.line_bytes;
    std::vector<double> scatter = slopes(log2_bytes, running_median(log_ns, 2));
    for (std::size_t i = 0; i < points->size(); ++i) {
      const double by_lines = constants.few_lines_scatter / std::sqrt((*points)[i].bytes / per_line);
      scatter[i] = std::abs(scatter[i]) * std::hypot(constants.placement_scatter, by_lines);
    }
    const double rough = roughness(log2_bytes, log_ns, scatter, all.base_noise);
    for (std::size_t i = 0; i < points->size(); ++i, ++row) {
      const Summary values = summarize((*points)[i].values);
      const double lines = (*points)[i].bytes / per_line;
      const double spread =
          constants.own_spread * (values.upper_quartile - values.lower_quartile) / 1.35 / values.median;
      const double error = std::hypot(all.base_noise, rough * scatter[i], spread) *
                           (order == LoadOrder::page ? constants.page_noise : 1) * (1 + (*points)[i].settling);
      all.order.push_back(order);
      all.log2_bytes(row) = log2_bytes[i];
      all.log2_touched(row) = std::log2(lines * curves.line_bytes);
      all.latency(row) = values.median;
      all.interference(row) = (*points)[i].smt_interference;
      all.weight(row) = 1 / (error * values.median);
    }
  }
  return all;
}

}  // namespace sonde::analysis::curve
