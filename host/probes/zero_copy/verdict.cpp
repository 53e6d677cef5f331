// Decides from the curves of the zero-copy probe whether time grows with the buffer, or with the pages that are
// touched.

#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "analysis/size_curves.hpp"
#include "probes/zero_copy/zero_copy.hpp"

namespace sonde::probes::zero_copy_probe {
namespace {

/// A page that only lies in a cache or a far memory costs less; one that is fetched by a fault costs more.
constexpr double least_migration_us = 1.5;
/// Something else than touching goes on where touching all of it anew takes so many times a copy of it.
constexpr double more_than_touching = 1.5;

using TimeBySize = std::map<double, double>;  ///< in microseconds
using Curves = std::map<Words, TimeBySize>;

Curves curves_of(std::span<const Measurement> measurements) {
  Curves curves;
  for (const Measurement& one : measurements) curves[one.point.words][one.point.x.bytes.value()] = median_of(one);
  return curves;
}

/// The rate of the fastest copies that were asked for, at their largest size; 0 where there was none.
double copy_gbps(const Curves& curves, Direction direction) {
  double fastest = 0;
  for (const auto& [words, curve] : curves) {
    if (words.engine != Engine::driver || words.direction != direction) continue;
    fastest = std::max(fastest, curve.rbegin()->first / (1e3 * curve.rbegin()->second));
  }
  return fastest;
}

/// One kind's rounds, of one visit or of all.
struct KindOfMemory {
  const Curves& curves;
  measure::Name memory;

  const TimeBySize* curve(Words words) const {
    words.memory = memory;
    const auto found = curves.find(words);
    return found == curves.end() ? nullptr : &found->second;
  }
  const TimeBySize* curve(Order order, Direction direction) const {
    const bool again = direction == Direction::within;
    return curve(with(again ? read_again.words : round.words, {.direction = direction, .order = order}));
  }
  static double at(const TimeBySize* curve, double bytes) {
    return curve == nullptr || !curve->contains(bytes) ? 0 : curve->at(bytes);
  }
  double us(Order order, Direction direction, double bytes) const { return at(curve(order, direction), bytes); }
};

/// The cost of one page more beyond that of one word, without what reading it costs the CPU.
double page_us(const KindOfMemory& kind, Direction direction, double bytes) {
  double more = kind.us(Order::page, direction, bytes) - kind.us(Order::independent, direction, bytes);
  if (direction == Direction::to_host) {
    more -= kind.us(Order::page, Direction::within, bytes) - kind.us(Order::independent, Direction::within, bytes);
  }
  return more / (most_touched_pages - 1);
}

/// How long it takes to see all of it changed, beyond what touching it takes, in times of a copy of it.
double all_in_copies(const KindOfMemory& kind, double bytes, double gbps) {
  const double more_us =
      kind.us(Order::cycle, Direction::to_host, bytes) - kind.us(Order::independent, Direction::to_host, bytes) -
      2 * kind.us(Order::cycle, Direction::within, bytes) - kind.at(kind.curve(kernel_alone.words), bytes);
  return more_us / (bytes / gbps / 1e3);
}

using Seen = measure::SeenInRuns<Curves>;

/// Whether pages move one by one, by rounds over pages, where no time grows with the size of the buffer.
struct PageVerdict {
  analysis::Answer migrate = analysis::Answer::no;
  analysis::Estimate us = {};  ///< a page, in the largest buffer
};

/// Pages that cost something in one buffer and nothing in another do not move one by one.
PageVerdict pages_of(const Seen& seen, measure::Name memory, Direction direction) {
  PageVerdict verdict;
  bool all_cost = true;
  bool any_free = false;
  bool any = false;
  for (const auto& [bytes, us] : *KindOfMemory{seen.all(), memory}.curve(Order::independent, direction)) {
    if (bytes < most_touched_pages * page_bytes) continue;
    const auto of = [&, bytes = bytes](const Curves& curves) { return page_us({curves, memory}, direction, bytes); };
    verdict.us = seen.margin(of);
    all_cost = all_cost && verdict.us.low > least_migration_us;
    any_free = any_free || verdict.us.high < least_migration_us;
    any = true;
  }
  if (any && !any_free) verdict.migrate = all_cost ? analysis::Answer::yes : analysis::Answer::open;
  return verdict;
}

/// Whether to see all of it changed surely took longer than touching and copying it would.
bool all_costs_more(const Seen& seen, measure::Name memory, double gbps) {
  const TimeBySize* const again = KindOfMemory{seen.all(), memory}.curve(Order::cycle, Direction::within);
  if (again == nullptr || gbps <= 0) return false;
  const double bytes = again->rbegin()->first;
  const auto of = [&](const Curves& curves) { return all_in_copies({curves, memory}, bytes, gbps); };
  return seen.margin(of).low > more_than_touching;
}

std::vector<analysis::CopyTime> rounds_of(const TimeBySize& words) {
  std::vector<analysis::CopyTime> rounds;
  for (const auto& [bytes, us] : words) rounds.push_back({.bytes = bytes, .nanoseconds = 1e3 * us});
  return rounds;
}

SharingVerdict verdict_on(std::span<const Measurement> measurements, const Seen& seen, const Words& words) {
  const measure::Name memory = words.memory;
  const Direction direction = words.direction.value();
  const TimeBySize& times = seen.all().at(words);
  const double gbps = copy_gbps(seen.all(), direction);
  const double largest = times.rbegin()->first;
  const std::string text = fmt::format(
      "With one word changed a round takes {} us at the smallest buffer and {} at the largest ({} "
      "to {})",
      analysis::number_text(times.begin()->second), analysis::number_text(times.rbegin()->second),
      size_text(times.begin()->first), size_text(largest));
  const Words of{.direction = direction, .memory = memory};
  const auto decided = [&](const FindingKind& kind, const measure::Known& value, const std::string& evidence) {
    return SharingVerdict{finding_of(kind, of, value, text + evidence)};
  };
  const auto undecided = [&](const std::string& evidence, bool is_open) {
    return SharingVerdict{{.kind = &unclear, .words = of, .evidence = text + evidence}, is_open};
  };
  const auto rounds = [&](const Curves& curves) { return rounds_of(curves.at(words)); };
  const analysis::ImplicitCopy found = analysis::find_implicit_copy(rounds(seen.all()), seen.others(rounds), gbps);
  if (found.verdict == analysis::ImplicitCopy::Verdict::unclear)
    return undecided(found.is_open && measure::have_few_visits(measurements)
                         ? ": so few visits leave open whether it is copied; a longer run (--time) has more."
                         : ": " + found.why + ".",
                     found.is_open);
  if (found.verdict != analysis::ImplicitCopy::Verdict::none) {
    const bool is_copy = found.verdict == analysis::ImplicitCopy::Verdict::copy;
    return decided(is_copy ? copies : cache_maintenance, found.gbps,
                   fmt::format(", so {} at {} GB/s, beside {} of a copy that is asked for.",
                               is_copy ? "all of it is copied" : "there is work on all of it, yet no copy,",
                               analysis::number_text(found.gbps.value), analysis::number_text(gbps)));
  }
  const PageVerdict pages = pages_of(seen, memory, direction);
  if (pages.migrate == analysis::Answer::open) {
    return undecided(fmt::format(", and each page that is touched takes {} to {} us more, which may be a fault "
                                 "or none; measure on an idle machine.",
                                 analysis::number_text(pages.us.low), analysis::number_text(pages.us.high)),
                     true);
  }
  if (pages.migrate == analysis::Answer::yes) {
    return decided(migrates, pages.us,
                   fmt::format(", but each page that is touched takes {} us more: memory moves page by page.",
                               analysis::number_text(pages.us.value)));
  }
  if (direction == Direction::to_host && all_costs_more(seen, memory, gbps)) {
    return undecided(", but when all of it changes a round takes longer than touching and copying it would.", false);
  }
  const auto last = std::ranges::find_if(
      measurements, [&](const Measurement& one) { return one.point.words == words && one.point.x.bytes == largest; });
  return decided(shared_without_copy, estimate(*last, measurements),
                 fmt::format("; a copy would have added {} us.", analysis::number_text(largest / gbps / 1e3)));
}

}  // namespace

std::vector<SharingVerdict> sharing_verdicts(std::span<const Measurement> measurements) {
  const Seen seen(measurements, curves_of);
  std::vector<SharingVerdict> all;
  for (const auto& [words, curve] : seen.all()) {
    const bool is_exchanged = words.direction == Direction::to_host || words.direction == Direction::to_device;
    const Words one_word{.direction = words.direction, .memory = words.memory, .order = Order::independent};
    if (is_exchanged && words == one_word) all.push_back(verdict_on(measurements, seen, words));
  }
  return all;
}

}  // namespace sonde::probes::zero_copy_probe
