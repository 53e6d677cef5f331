// Question: is memory that CPU and GPU are said to share really shared, or copied behind the program's back?
//
// Experiment: a buffer of several sizes in every kind of memory. First both sides write all of it, so that every page
// is there. Then one side changes one word, another one in every round, and the other has to find it there, with map
// and unmap where the kind needs them; a wrong value is an error. The time of such a round, by the host's clock (the
// records' state.shape says so), over the size of the buffer: if nothing is copied it does not matter how large the
// buffer is. Of a round from CPU to GPU the map before it is not counted, which is the other direction's work. Further
// rounds change a word in each of up to 64 pages (order page), all words (order cycle; not in large buffers), and in
// each the CPU also reads a second time with nothing in between (direction within, side cpu), which is what looking
// itself costs. For comparison the whole buffer is copied by the driver (engine driver).
//
// How to read the curve: flat is zero-copy; a rise as steep as, or a third as steep as, the copy that was asked for is
// a hidden copy, whose rate is the rise's; a smaller rise is work on every line of the buffer, as when caches are
// written back. A flat curve with far more time for 64 pages than for one word is memory that moves page by page.

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "analysis/hidden_copy.hpp"
#include "analysis/statistics.hpp"
#include "gpu/error.hpp"
#include "probes/catalog.hpp"
#include "probes/zero_copy/rounds.hpp"
#include "workloads/memory_kinds.hpp"

namespace sonde::probes {
namespace {

constexpr double kib = 1 << 10;
constexpr double mib = 1 << 20;

/// A page that only lies in a cache or a far memory costs less; one that is fetched by a fault costs more.
constexpr double least_migration_us = 1.5;
/// Time for touching all of it anew, in times of a copy of it, from which on something else than touching goes on.
constexpr double more_than_touching = 1.5;

std::vector<double> sizes(const gpu::DeviceInfo& device, const Request& request) {
  std::vector<double> all{64 * kib, 2 * mib, 32 * mib, 256 * mib};
  if (request.effort != Effort::quick) all = {64 * kib, 256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
  if (request.effort == Effort::thorough) all.push_back(1024 * mib);
  // What a simulated device's sizes would add is the host's time.
  if (device.type == gpu::DeviceType::model) all = {64 * kib, 1 * mib, 4 * mib, 16 * mib};
  std::erase_if(all, [&](double bytes) {
    return (request.smallest_bytes && bytes < static_cast<double>(*request.smallest_bytes)) ||
           (request.largest_bytes && bytes > static_cast<double>(*request.largest_bytes)) ||
           bytes > static_cast<double>(most_round_bytes);
  });
  return all;
}

std::vector<Point> next(const gpu::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (!known.empty()) return {};
  std::vector<Point> points;
  for (const gpu::MemoryKind& kind : device.memory_kinds) {
    for (const double bytes : sizes(device, request)) {
      Point point{.series = series_of(Touch::word, Way::to_host), .x = {{"bytes", bytes}}};
      point.series["memory"] = kind.name;
      point.expected_seconds = 0.03 + 1.4e-9 * bytes;
      points.push_back(point);
      if (!workloads::why_not_shared(kind).empty()) break;  // to be skipped, once
    }
  }
  return points;
}

Workload prepare(gpu::Device& device, const Point& point, const Request& request) {
  const gpu::MemoryKind& kind = gpu::memory_kind(device.info(), workloads::memory_of(point.series));
  if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw gpu::Unsupported(reason);
  const double bytes = point.x.at("bytes");
  const double most_for_all = request.effort == Effort::quick    ? 2 * mib
                              : request.effort == Effort::normal ? 16 * mib
                                                                 : 1024 * mib;
  // Copies are compared with those of the first kind that the CPU can map; any kind of the device's is as good.
  const auto first = std::ranges::find_if(
      device.info().memory_kinds, [](const gpu::MemoryKind& one) { return workloads::why_not_shared(one).empty(); });
  return zero_copy_rounds(device, kind.name, static_cast<std::uint64_t>(bytes), request.seed, bytes <= most_for_all,
                          first->name == kind.name && bytes <= 64 * mib);
}

using Curve = std::map<double, analysis::RoundTime>;  ///< by size
using Curves = std::map<std::map<std::string, std::string>, Curve>;

analysis::RoundTime round_time(const Measurement& one) {
  const analysis::Summary values = analysis::summarize(one.values);
  return {.bytes = one.point.x.at("bytes"),
          .median_ns = 1e3 * values.median,
          .half_width_ns = 1e3 * (values.upper_quartile - values.lower_quartile) / 2};
}

/// Of copies that were asked for, at the largest size; 0 where there was none.
double copy_gbps(const Curves& curves, Way way) {
  for (const auto& [series, curve] : curves) {
    const auto wanted = series_of_explicit_copy(way);
    const bool matches = std::ranges::all_of(wanted, [&](const auto& word) {
      const auto found = series.find(word.first);
      return found != series.end() && found->second == word.second;
    });
    if (matches) return curve.rbegin()->first / curve.rbegin()->second.median_ns;
  }
  return 0;
}

/// One kind's rounds, as conclude() looks at them.
struct Kind {
  const Curves& curves;
  std::string memory;

  const Curve* curve(std::map<std::string, std::string> series) const {
    series["memory"] = memory;
    const auto found = curves.find(series);
    return found == curves.end() ? nullptr : &found->second;
  }
  double median_us(const std::map<std::string, std::string>& series, double bytes) const {
    const Curve* const of = curve(series);
    if (of == nullptr || !of->contains(bytes)) return 0;
    return of->at(bytes).median_ns / 1e3;
  }
  double median_us(Touch touch, Way way, double bytes) const { return median_us(series_of(touch, way), bytes); }
};

template <typename... Numbers>
std::string text(const char* format, Numbers... numbers) {
  std::array<char, 400> line{};
  std::snprintf(line.data(), line.size(), format, numbers...);
  return line.data();
}

/// What one page more costs beyond one word, but for what looking at it costs the CPU.
double page_us(const Kind& kind, Way way, double bytes) {
  const double pages = std::min<double>(most_touched_pages, bytes / 4096);
  if (pages < 2) return 0;
  double more = kind.median_us(Touch::pages, way, bytes) - kind.median_us(Touch::word, way, bytes);
  if (way == Way::to_host)
    more -= kind.median_us(Touch::pages, Way::within, bytes) - kind.median_us(Touch::word, Way::within, bytes);
  return more / (pages - 1);
}

/// Whether touching all of it took longer than touching and copying it would.
bool all_costs_more(const Kind& kind, double gbps) {
  const Curve* const again = kind.curve(series_of(Touch::all, Way::within));
  if (again == nullptr || gbps <= 0) return false;
  const double bytes = again->rbegin()->first;
  const double more_us = kind.median_us(Touch::all, Way::to_host, bytes) -
                         kind.median_us(Touch::word, Way::to_host, bytes) -
                         2 * kind.median_us(Touch::all, Way::within, bytes) - kind.median_us(series_of_kernel(), bytes);
  return more_us > more_than_touching * bytes / gbps / 1e3;
}

Finding finding_of(const Kind& kind, Way way, const Curve& words, double gbps) {
  std::vector<analysis::RoundTime> rounds;
  for (const auto& [bytes, time] : words) rounds.push_back(time);
  const analysis::HiddenCopy found = analysis::find_hidden_copy(rounds, gbps);
  const double largest = words.rbegin()->first;
  const std::string sizes = size_text(words.begin()->first) + " to " + size_text(largest);
  const double first_us = words.begin()->second.median_ns / 1e3;
  const double last_us = words.rbegin()->second.median_ns / 1e3;
  const std::string seen =
      text("With one word changed a round takes %.3g us at the smallest buffer and %.3g at the largest (%s)", first_us,
           last_us, sizes.c_str());
  Finding finding{.series = {{"memory", kind.memory}, {"direction", series_of(Touch::word, way).at("direction")}},
                  .name = "unclear",
                  .value = std::nullopt,
                  .unit = "",
                  .evidence = ""};
  using Verdict = analysis::HiddenCopy::Verdict;
  if (found.verdict == Verdict::unclear) {
    finding.evidence = seen + ": " + found.why + ".";
    return finding;
  }
  if (found.verdict != Verdict::none) {
    const bool copies = found.verdict == Verdict::copy;
    finding.name = copies ? "copies" : "cache-maintenance";
    finding.value = six_digits(found.gbps);
    finding.unit = "GB/s";
    finding.evidence =
        seen + text(", so %s at %.3g GB/s, beside %.3g of a copy that is asked for.",
                    copies ? "all of it is copied" : "there is work on all of it, yet no copy,", found.gbps, gbps);
    return finding;
  }
  const double per_page = page_us(kind, way, largest);
  if (per_page > least_migration_us) {
    finding.name = "migrates";
    finding.value = six_digits(per_page);
    finding.unit = "us";
    finding.evidence =
        seen + text(", but each page that is touched takes %.3g us more: memory moves page by page.", per_page);
    return finding;
  }
  if (way == Way::to_host && all_costs_more(kind, gbps)) {
    finding.evidence = seen + ", but when all of it changes a round takes longer than touching and copying it would.";
    return finding;
  }
  finding.name = "zero-copy";
  finding.value = six_digits(last_us);
  finding.unit = "us";
  finding.evidence = seen + text("; a copy would have added %.3g us.", largest / gbps / 1e3);
  return finding;
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Curves curves;
  for (const Measurement& one : measurements) curves[one.point.series][one.point.x.at("bytes")] = round_time(one);
  Conclusion conclusion;
  for (const auto& [series, curve] : curves) {
    if (series.contains("engine")) continue;
    for (const Way way : {Way::to_host, Way::to_device}) {
      const Kind kind{curves, workloads::memory_of(series)};
      if (&curve != kind.curve(series_of(Touch::word, way))) continue;
      conclusion.findings.push_back(finding_of(kind, way, curve, copy_gbps(curves, way)));
    }
  }
  return conclusion;
}

/// What the driver's own word is enough for.
std::vector<Finding> stated(const gpu::DeviceInfo& device, std::span<const Measurement>) {
  std::vector<Finding> findings;
  for (const gpu::MemoryKind& kind : device.memory_kinds) {
    const std::string reason = workloads::why_not_shared(kind);
    if (reason.empty()) continue;
    findings.push_back({.series = {{"memory", kind.name}},
                        .name = "unsupported",
                        .value = std::nullopt,
                        .unit = "",
                        .evidence = "Not measured: " + reason + "."});
  }
  return findings;
}

}  // namespace

const Probe zero_copy{
    .name = "zero-copy",
    .question = "Is memory that CPU and GPU are said to share really shared, or copied behind the program's back?",
    .obstacle = workloads::without_memory_kinds,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    .stated = stated};

}  // namespace sonde::probes
