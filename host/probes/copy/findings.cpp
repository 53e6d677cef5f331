#include "probes/copy/findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/copy_line.hpp"
#include "probes/copy/route.hpp"

namespace sonde::probes {
namespace {

/// Nanoseconds of one copy, by bytes; of each way to copy, of so many queues.
using Curve = std::map<double, double>;
using Curves = std::map<std::pair<CopyRoute, int>, Curve>;

template <typename... Values>
std::string text(const char* format, Values... values) {
  std::array<char, 400> written{};
  std::snprintf(written.data(), written.size(), format, values...);
  return written.data();
}

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

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e6) return text("%.3g us", nanoseconds / 1e3);
  return text("%.3g ms", nanoseconds / 1e6);
}

void add_line(const CopyRoute& route, const Curve& curve, Conclusion& conclusion) {
  std::vector<analysis::CopyTime> times;
  for (const auto& [bytes, nanoseconds] : curve) times.push_back({bytes, nanoseconds});
  const auto line = analysis::fit_copy_line(times);
  if (!line) return;
  const auto& [small, small_ns] = *curve.begin();
  const auto& [large, large_ns] = *curve.rbegin();
  const std::string seen =
      text("A copy of %s %s takes %s, one of %s %s: ", size_text(small).c_str(), phrase_of(route).c_str(),
           time_text(small_ns).c_str(), size_text(large).c_str(), time_text(large_ns).c_str());
  const std::string fit = text("with %.3g us and %.3g GB/s a line misses no size by more than %.0f %%.",
                               line->latency_ns / 1e3, line->gbps, std::ceil(100 * line->worst));
  if (line->latency_ns > 0) {
    conclusion.findings.push_back({.series = series_of(route),
                                   .name = "latency",
                                   .value = six_digits(line->latency_ns / 1e3),
                                   .unit = "us",
                                   .evidence = seen + fit});
  }
  conclusion.findings.push_back({.series = series_of(route),
                                 .name = "bandwidth",
                                 .value = six_digits(line->gbps),
                                 .unit = "GB/s",
                                 .evidence = seen + fit});
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
      copies, text("copies of %s both ways at once take %s a pair, one after the other %s", size_text(bytes).c_str(),
                   time_text(pair_ns).c_str(), time_text(*there + *back).c_str())};
}

std::optional<Concurrency> same_way(const Curves& curves, const CopyRoute& route, int queues, double bytes) {
  const auto one = time_of(curves, route, 1, bytes);
  const auto several = time_of(curves, route, queues, bytes);
  if (!one || !several) return std::nullopt;
  return Concurrency{std::min(*one / *several, 1.0 * queues),
                     text("on %d queues %.2g times as many copies of %s %s are made as on one", queues, *one / *several,
                          size_text(bytes).c_str(), phrase_of(route).c_str())};
}

/// The comparison that shows most copies at once counts: where a bus is full, others cannot show them.
void add_engines(Mover mover, const Curves& curves, Conclusion& conclusion) {
  std::vector<Concurrency> all;
  int most_queues = 0;
  for (const auto& [key, curve] : curves) {
    const auto& [route, queues] = key;
    if (route.mover != mover || route.beside_kernel || (queues == 1 && route.direction != Direction::both)) continue;
    most_queues = std::max(most_queues, route.direction == Direction::both ? 2 : queues);
    for (const auto& [bytes, nanoseconds] : curve) {
      const auto found = route.direction == Direction::both ? both_at_once(curves, route, bytes)
                                                            : same_way(curves, route, queues, bytes);
      if (found) all.push_back(*found);
    }
  }
  if (all.empty()) return;
  const Concurrency& best = *std::ranges::max_element(all, {}, &Concurrency::copies);
  const double engines = std::max(1.0, std::round(best.copies));
  std::string evidence = text("Of the copies given to up to %d queues %.0f %s under way at once: ", most_queues,
                              engines, engines > 1 ? "were" : "was") +
                         best.seen + ".";
  if (engines >= most_queues) evidence += " There may be more engines than queues that were tried.";
  conclusion.findings.push_back({.series = {{"engine", series_of({.mover = mover}).at("engine")}},
                                 .name = "engines",
                                 .value = engines,
                                 .unit = "ratio",
                                 .evidence = evidence});
}

void add_overlap(const Measurement& ratio, Conclusion& conclusion) {
  const double share = median_of(ratio);
  const char* meaning = share >= 0.8   ? "copies and kernels run side by side"
                        : share <= 0.2 ? "one waits for the other, or takes from it what it gains"
                                       : "both run side by side, but hinder each other";
  conclusion.findings.push_back(
      {.series = ratio.point.series,
       .name = "overlaps-compute",
       .value = six_digits(share),
       .unit = "ratio",
       .evidence = text("Copies of %s %s beside a kernel that lasts longer: %.0f %% of their time cost "
                        "neither them nor the kernel "
                        "anything, so %s.",
                        size_text(ratio.point.x.at("bytes")).c_str(), phrase_of(route_of(ratio.point.series)).c_str(),
                        100 * share, meaning)});
}

}  // namespace

Conclusion copy_findings(std::span<const Measurement> measurements) {
  const Curves curves = curves_of(measurements);
  Conclusion conclusion;
  for (const auto& [key, curve] : curves) {
    const auto& [route, queues] = key;
    if (queues == 1 && route.direction != Direction::both && !route.beside_kernel) add_line(route, curve, conclusion);
  }
  for (const Mover mover : {Mover::driver, Mover::transfer}) add_engines(mover, curves, conclusion);
  for (const Measurement& one : measurements) {
    if (one.unit == "ratio") add_overlap(one, conclusion);
  }
  return conclusion;
}

}  // namespace sonde::probes
