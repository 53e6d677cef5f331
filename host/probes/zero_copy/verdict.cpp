// Reads the curves of the zero-copy probe: does time grow with the buffer, or with the pages that are touched?

#include "probes/zero_copy/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analysis/copy_times.hpp"
#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/zero_copy/rounds.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

constexpr double page_bytes = 4096;

/// A page that only lies in a cache or a far memory costs less; one that is fetched by a fault costs more.
constexpr double least_migration_us = 1.5;
/// Time for touching all of it anew, in times of a copy of it, from which on something else than touching goes on.
constexpr double more_than_touching = 1.5;

using Curve = std::map<double, double>;  ///< microseconds by size
using Curves = std::map<std::map<std::string, std::string>, Curve>;

Curves curves_of(std::span<const Measurement> measurements) {
  Curves curves;
  for (const Measurement& one : measurements) curves[one.point.series][one.point.x.at("bytes")] = median_of(one);
  return curves;
}

/// Of the fastest copies that were asked for, at their largest size; 0 where there was none.
double copy_gbps(const Curves& curves, Way way) {
  double fastest = 0;
  for (const std::string host : {"pageable", "pinned"}) {
    for (const auto& [series, curve] : curves) {
      const auto wanted = series_of_explicit_copy(way, host);
      const bool matches = std::ranges::all_of(wanted, [&](const auto& word) {
        const auto found = series.find(word.first);
        return found != series.end() && found->second == word.second;
      });
      if (matches) fastest = std::max(fastest, curve.rbegin()->first / (1e3 * curve.rbegin()->second));
    }
  }
  return fastest;
}

/// One kind's rounds, of one visit or of all.
struct Kind {
  const Curves& curves;
  std::string memory;

  const Curve* curve(std::map<std::string, std::string> series) const {
    series["memory"] = memory;
    const auto found = curves.find(series);
    return found == curves.end() ? nullptr : &found->second;
  }
  double us(const std::map<std::string, std::string>& series, double bytes) const {
    const Curve* const of = curve(series);
    return of == nullptr || !of->contains(bytes) ? 0 : of->at(bytes);
  }
  double us(Touch touch, Way way, double bytes) const { return us(series_of(touch, way), bytes); }
};

/// What one page more costs beyond one word, but for what looking at it costs the CPU.
double page_us(const Kind& kind, Way way, double bytes) {
  double more = kind.us(Touch::pages, way, bytes) - kind.us(Touch::word, way, bytes);
  if (way == Way::to_host) {
    more -= kind.us(Touch::pages, Way::within, bytes) - kind.us(Touch::word, Way::within, bytes);
  }
  return more / (most_touched_pages - 1);
}

/// How long it takes to see all of it changed, beyond what touching it takes, in times of a copy of it.
double all_in_copies(const Kind& kind, double bytes, double gbps) {
  const double more_us = kind.us(Touch::all, Way::to_host, bytes) - kind.us(Touch::word, Way::to_host, bytes) -
                         2 * kind.us(Touch::all, Way::within, bytes) - kind.us(series_of_kernel(), bytes);
  return more_us / (bytes / gbps / 1e3);
}

using Seen = measure::SeenByVisit<Curves>;

/// What the page walks of a kind say where no time grows with its size.
enum class Pages { stay, migrate, open };

struct PageVerdict {
  Pages pages = Pages::stay;
  analysis::Estimate us = {};  ///< a page, in the largest buffer
};

/// Pages that cost something in one buffer and nothing in another do not move one by one.
PageVerdict pages_of(const Seen& seen, const std::string& memory, Way way) {
  PageVerdict verdict;
  bool all_cost = true;
  bool any_free = false;
  bool any = false;
  for (const auto& [bytes, us] : *Kind{seen.all(), memory}.curve(series_of(Touch::word, way))) {
    if (bytes < most_touched_pages * page_bytes) continue;
    const auto of = [&, bytes = bytes](const Curves& curves) { return page_us({curves, memory}, way, bytes); };
    verdict.us = seen.margin(of);
    all_cost = all_cost && verdict.us.low > least_migration_us;
    any_free = any_free || verdict.us.high < least_migration_us;
    any = true;
  }
  if (any && !any_free) verdict.pages = all_cost ? Pages::migrate : Pages::open;
  return verdict;
}

/// Whether to see all of it changed surely took longer than touching and copying it would.
bool all_costs_more(const Seen& seen, const std::string& memory, double gbps) {
  const Curve* const again = Kind{seen.all(), memory}.curve(series_of(Touch::all, Way::within));
  if (again == nullptr || gbps <= 0) return false;
  const double bytes = again->rbegin()->first;
  const auto of = [&](const Curves& curves) { return all_in_copies({curves, memory}, bytes, gbps); };
  return seen.margin(of).low > more_than_touching;
}

std::vector<analysis::RoundTime> rounds_of(const Curve& words) {
  std::vector<analysis::RoundTime> rounds;
  for (const auto& [bytes, us] : words) rounds.push_back({.bytes = bytes, .nanoseconds = 1e3 * us});
  return rounds;
}

SharingVerdict verdict_on(std::span<const Measurement> measurements, const Seen& seen,
                          const std::map<std::string, std::string>& series, Way way) {
  const std::string memory = workloads::memory_of(series);
  const Curve& words = seen.all().at(series);
  const double gbps = copy_gbps(seen.all(), way);
  const double largest = words.rbegin()->first;
  const std::string text = fmt::format(
      "With one word changed a round takes {:.3g} us at the smallest buffer and {:.3g} at the largest ({} "
      "to {})",
      words.begin()->second, words.rbegin()->second, size_text(words.begin()->first), size_text(largest));
  SharingVerdict verdict{.finding = {.series = {{"memory", memory}, {"direction", series.at("direction")}},
                                     .name = "unclear",
                                     .evidence = text}};
  Finding& finding = verdict.finding;
  const auto rounds = [&](const Curves& curves) { return rounds_of(curves.at(series)); };
  const analysis::ImplicitCopy found = analysis::find_implicit_copy(rounds(seen.all()), seen.each(rounds), gbps);
  if (found.verdict == analysis::ImplicitCopy::Verdict::unclear) {
    verdict.is_open = found.is_open;
    finding.evidence += ": " + found.why + ".";
    return verdict;
  }
  if (found.verdict != analysis::ImplicitCopy::Verdict::none) {
    const bool copies = found.verdict == analysis::ImplicitCopy::Verdict::copy;
    finding.name = copies ? "copies" : "cache-maintenance";
    measure::state(finding, found.gbps);
    finding.unit = "GB/s";
    finding.evidence += fmt::format(", so {} at {:.3g} GB/s, beside {:.3g} of a copy that is asked for.",
                                    copies ? "all of it is copied" : "there is work on all of it, yet no copy,",
                                    found.gbps.value, gbps);
    return verdict;
  }
  const PageVerdict pages = pages_of(seen, memory, way);
  if (pages.pages == Pages::open) {
    verdict.is_open = true;
    finding.evidence += fmt::format(
        ", and each page that is touched takes {:.3g} to {:.3g} us more, which may be a fault or none; measure on an "
        "idle machine.",
        pages.us.low, pages.us.high);
    return verdict;
  }
  if (pages.pages == Pages::migrate) {
    finding.name = "migrates";
    measure::state(finding, pages.us);
    finding.unit = "us";
    finding.evidence +=
        fmt::format(", but each page that is touched takes {:.3g} us more: memory moves page by page.", pages.us.value);
    return verdict;
  }
  if (way == Way::to_host && all_costs_more(seen, memory, gbps)) {
    finding.evidence += ", but when all of it changes a round takes longer than touching and copying it would.";
    return verdict;
  }
  finding.name = "zero-copy";
  const auto last = std::ranges::find_if(measurements, [&](const Measurement& one) {
    return one.point.series == series && one.point.x.at("bytes") == largest;
  });
  measure::state(finding, measure::estimate(*last));
  finding.unit = "us";
  finding.evidence += fmt::format("; a copy would have added {:.3g} us.", largest / gbps / 1e3);
  return verdict;
}

}  // namespace

std::vector<SharingVerdict> sharing_verdicts(std::span<const Measurement> measurements) {
  const Seen seen(measurements, curves_of);
  std::vector<SharingVerdict> all;
  for (const auto& [series, curve] : seen.all()) {
    if (series.contains("engine")) continue;
    for (const Way way : {Way::to_host, Way::to_device}) {
      std::map<std::string, std::string> words = series_of(Touch::word, way);
      words["memory"] = workloads::memory_of(series);
      if (series == words) all.push_back(verdict_on(measurements, seen, series, way));
    }
  }
  return all;
}

}  // namespace sonde::probes
