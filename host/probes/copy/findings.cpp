#include "probes/copy/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/copy_times.hpp"
#include "measure/visits.hpp"
#include "probes/copy/route.hpp"

namespace sonde::probes {
namespace {

/// Nanoseconds of one copy, by bytes; of each way to copy, of so many queues.
using Curve = std::map<double, double>;
using Curves = std::map<std::pair<CopyRoute, int>, Curve>;

/// Of all queues together where there are several, so that two queues' copies at once take half as long each.
Curves curves_of(std::span<const Measurement> measurements) {
  Curves curves;
  for (const Measurement& one : measurements) {
    const auto counted = one.point.series.find("counted");
    if (one.unit != "GB/s" || (counted != one.point.series.end() && counted->second != "total")) continue;
    const auto queues = one.point.x.find("queues");
    const int count = queues == one.point.x.end() ? 1 : static_cast<int>(queues->second);
    const double bytes = one.point.x.at("bytes");
    curves[{route_of(one.point.series), count}][bytes] = bytes / median_of(one);
  }
  return curves;
}

using Seen = measure::SeenByVisit<Curves>;

std::optional<analysis::CopyLine> line_of(const Curve& curve) {
  std::vector<analysis::CopyTime> times;
  for (const auto& [bytes, nanoseconds] : curve) times.push_back({bytes, nanoseconds});
  return analysis::fit_copy_line(times);
}

void add_line(const CopyRoute& route, const Seen& seen, Conclusion& conclusion) {
  const Curve& curve = seen.all().at({route, 1});
  const auto line = line_of(curve);
  if (!line) return;
  // A visit without a line stands in by that of all.
  const auto of_visit = [&](const Curves& curves) { return line_of(curves.at({route, 1})).value_or(*line); };
  const auto& [small, small_ns] = *curve.begin();
  const auto& [large, large_ns] = *curve.rbegin();
  const std::string evidence = fmt::format(
      "A copy of {} {} takes {}, one of {} {}: with {:.3g} us and {:.3g} GB/s a line misses no size by "
      "more than {:.0f} %.",
      size_text(small), phrase_of(route), measure::time_text(small_ns), size_text(large), measure::time_text(large_ns),
      line->latency_ns / 1e3, line->gbps, std::ceil(100 * line->worst));
  const auto add = [&](const char* name, const char* unit, const analysis::Estimate& estimate) {
    Finding finding{.series = series_of(route), .name = name, .unit = unit, .evidence = evidence};
    measure::state(finding, estimate);
    conclusion.findings.push_back(finding);
  };
  analysis::Estimate latency = seen.margin([&](const Curves& curves) { return of_visit(curves).latency_ns / 1e3; });
  latency.low = std::max(0.0, latency.low);
  if (latency.high > 0) add("latency", "us", latency);
  add("bandwidth", "GB/s", seen.estimate([&](const Curves& curves) { return of_visit(curves).gbps; }));
}

/// How many copies were under way at once, by one comparison.
struct Concurrency {
  double copies = 1;
  std::string seen;
};

/// The time of a copy of so many bytes, where it was measured.
std::optional<double> time_of(const Curves& curves, const CopyRoute& route, int queues, double bytes) {
  const auto curve = curves.find({route, queues});
  if (curve == curves.end()) return std::nullopt;
  const auto found = curve->second.find(bytes);
  if (found == curve->second.end()) return std::nullopt;
  return found->second;
}

/// Both directions at once: what of the shorter one's time was saved.
std::optional<Concurrency> both_at_once(const Curves& curves, const CopyRoute& both, double bytes) {
  CopyRoute route = both;
  route.direction = Direction::to_device;
  const auto there = time_of(curves, route, 1, bytes);
  route.direction = Direction::to_host;
  const auto back = time_of(curves, route, 1, bytes);
  const auto together = time_of(curves, both, 1, bytes);
  if (!there || !back || !together) return std::nullopt;
  const double pair_ns = *together * 2;  // both directions' bytes are counted
  const double copies = std::min(2.0, 1 + (*there + *back - pair_ns) / std::min(*there, *back));
  return Concurrency{
      copies, fmt::format("copies of {} both ways at once take {} a pair, one after the other {}", size_text(bytes),
                          measure::time_text(pair_ns), measure::time_text(*there + *back))};
}

std::optional<Concurrency> same_way(const Curves& curves, const CopyRoute& route, int queues, double bytes) {
  const auto one = time_of(curves, route, 1, bytes);
  const auto several = time_of(curves, route, queues, bytes);
  if (!one || !several) return std::nullopt;
  return Concurrency{std::min(*one / *several, 1.0 * queues),
                     fmt::format("on {} queues {:.2g} times as many copies of {} {} are made as on one", queues,
                                 *one / *several, size_text(bytes), phrase_of(route))};
}

/// The comparison that shows most copies at once counts: where a bus is full, others cannot show them.
struct MostAtOnce {
  std::optional<Concurrency> best = std::nullopt;
  int queues = 0;
};

MostAtOnce most_at_once(Mover mover, const Curves& curves) {
  MostAtOnce most;
  for (const auto& [key, curve] : curves) {
    const auto& [route, queues] = key;
    if (route.mover != mover || route.beside_kernel || (queues == 1 && route.direction != Direction::both)) continue;
    most.queues = std::max(most.queues, route.direction == Direction::both ? 2 : queues);
    for (const auto& [bytes, nanoseconds] : curve) {
      const auto found = route.direction == Direction::both ? both_at_once(curves, route, bytes)
                                                            : same_way(curves, route, queues, bytes);
      if (found && (!most.best || found->copies > most.best->copies)) most.best = found;
    }
  }
  return most;
}

void add_engines(Mover mover, const Seen& seen, Conclusion& conclusion) {
  const MostAtOnce most = most_at_once(mover, seen.all());
  if (!most.best) return;
  const auto engines_of = [](double copies) { return std::max(1.0, std::round(copies)); };
  const analysis::Estimate copies =
      seen.margin([&](const Curves& curves) { return most_at_once(mover, curves).best->copies; });
  const analysis::Estimate engines{.low = engines_of(copies.low),
                                   .value = engines_of(copies.value),
                                   .high = engines_of(std::min(copies.high, 1.0 * most.queues))};
  std::string evidence =
      fmt::format("Of the copies given to up to {} queues {:.0f} {} under way at once: ", most.queues, engines.value,
                  engines.value > 1 ? "were" : "was") +
      most.best->seen + ".";
  if (engines.low < engines.high) {
    evidence +=
        fmt::format(" The times vary so much that another run may say {:.0f} to {:.0f}.", engines.low, engines.high);
  }
  if (engines.value >= most.queues) evidence += " There may be more engines than queues that were tried.";
  Finding finding{.series = {{"engine", series_of({.mover = mover}).at("engine")}},
                  .name = "engines",
                  .unit = "ratio",
                  .evidence = evidence};
  measure::state(finding, engines);
  conclusion.findings.push_back(finding);
}

/// A meaning is given where all that another run may find has the same.
void add_overlap(const Measurement& ratio, Conclusion& conclusion) {
  analysis::Estimate share = measure::margin(ratio);
  share.low = std::max(0.0, share.low);
  share.high = std::min(1.0, share.high);
  const char* meaning = share.low >= 0.8    ? "copies and kernels run side by side"
                        : share.high <= 0.2 ? "one waits for the other, or takes from it what it gains"
                        : share.low > 0.2 && share.high < 0.8
                            ? "both run side by side, but hinder each other"
                            : "it is not clear whether they run side by side or wait; measure on an idle machine";
  Finding finding{.series = ratio.point.series,
                  .name = "overlaps-compute",
                  .unit = "ratio",
                  .evidence = fmt::format("Copies of {} {} beside a kernel that lasts longer: {:.0f} % of their time "
                                          "cost neither them nor the kernel anything ({:.0f} to {:.0f} %), so {}.",
                                          size_text(ratio.point.x.at("bytes")), phrase_of(route_of(ratio.point.series)),
                                          100 * share.value, 100 * share.low, 100 * share.high, meaning)};
  measure::state(finding, share);
  conclusion.findings.push_back(finding);
}

}  // namespace

Conclusion copy_findings(std::span<const Measurement> measurements) {
  const Seen seen(measurements, curves_of);
  Conclusion conclusion;
  for (const auto& [key, curve] : seen.all()) {
    const auto& [route, queues] = key;
    if (queues == 1 && route.direction != Direction::both && !route.beside_kernel) add_line(route, seen, conclusion);
  }
  for (const Mover mover : {Mover::driver, Mover::transfer}) add_engines(mover, seen, conclusion);
  for (const Measurement& one : measurements) {
    if (one.unit == "ratio") add_overlap(one, conclusion);
  }
  return conclusion;
}

}  // namespace sonde::probes
