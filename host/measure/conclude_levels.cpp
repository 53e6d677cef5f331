#include "analysis/number_text.hpp"
#include "measure/level_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "measure/cycles.hpp"

namespace sonde::measure {
namespace {

constexpr double most_smt_interference = 0.5;
constexpr std::size_t least_points = 3;  // fewer points show no levels anyway

constexpr std::string_view beside_another =
    "another thread, perhaps of another virtual machine, ran on the same core and used part of its caches";
constexpr std::string_view measure_again =
    "run again on an idle machine, or with more --time, which measures such sizes again";

/// Narrower stretches are not told one by one, nor are more than a reader takes in.
constexpr double wide_stretch = 1.5;
constexpr std::size_t most_stretches = 3;

/// The sizes of stretches, such as "between 30 KiB and 70 KiB, and beyond 4 MiB".
std::string disturbed_text(std::span<const analysis::SizeRange> stretches) {
  std::vector<std::string> texts;
  for (const auto& [low, high] : stretches) {
    if (low == 0) {
      texts.push_back("below " + size_text(high));
    } else if (std::isinf(high)) {
      texts.push_back("beyond " + size_text(low));
    } else if (high > wide_stretch * low) {
      texts.push_back(fmt::format("between {} and {}", size_text(low), size_text(high)));
    }
  }
  if (texts.empty() || texts.size() > most_stretches) return "at most sizes of this curve";
  return fmt::format("{}", fmt::join(texts, ", and "));
}

/// A last level whose bounds leave room for so much slower, or faster, memory probably hides another level.
constexpr double most_slower = 1.5;
constexpr double most_faster = 2;
/// Bounds of which one is so much further away than the other mean a trend, not scatter.
constexpr double lopsided = 1.25;

/// Whether the last level may not be memory: its path has too little room for more than caches, its curve still changes
/// at its end or ends in a climb, what changed last may be translation, or sizes beyond it were disturbed.
bool ends_before_memory(const FoundLevel& last) {
  const bool short_path = last.words.path == Path::local || last.words.path == Path::constant;
  const analysis::Bracket& band = last.gbps ? *last.gbps : last.found.latency_ns;
  const double up = band.high / band.value;
  const double down = band.value / band.low;
  const double slower = last.gbps ? down : up;
  const double faster = last.gbps ? up : down;
  return short_path || last.found.is_unfinished || last.found.may_be_translation || last.found.ends_disturbed ||
         slower > std::max(most_slower, lopsided * faster) || faster > std::max(most_faster, lopsided * slower);
}

/// The largest working set of a curve, whether or not a light stream ran beside it.
double swept_bytes(Words words, std::span<const Measurement> measurements) {
  words.fabric.reset();
  double most = 0;
  for (const Measurement& one : measurements) {
    Words own = one.point.words;
    own.fabric.reset();
    if (own == words) most = std::max(most, one.point.x.bytes.value_or(0));
  }
  return most;
}

std::string pages_text(const analysis::PageTable& table) {
  if (table.most_page_bytes > table.page_bytes) return measure::size_text(table.page_bytes) + " or more";
  if (table.least_page_bytes < table.page_bytes) return measure::size_text(table.page_bytes) + " or less";
  return measure::size_text(table.page_bytes);
}

std::string evidence_of(const analysis::PageTable& table) {
  return "A walk through more than " + std::to_string(std::lround(table.entries.value)) + " pages of " +
         pages_text(table) + ", " + measure::size_text(table.reach_bytes()) + " together, takes " +
         fmt::format("{}", analysis::number_text(table.added_ns.value)) +
         " ns a load longer than one through as many lines on fewer pages: this is address translation, not a level.";
}

void add_translation(const analysis::Hierarchy& hierarchy, const Words& words, measure::Conclusion& conclusion) {
  for (const analysis::PageTable& table : hierarchy.page_tables) {
    const double reach_bytes = table.reach_bytes();
    const double pages_low = table.least_page_bytes / table.page_bytes;
    const double pages_high = table.most_page_bytes / table.page_bytes;
    conclusion.findings.push_back(
        {.kind = &finding_kinds::translation,
         .words = words,
         .value = reach_bytes,
         .low = reach_bytes * table.entries.low / table.entries.value * std::min(1.0, pages_low),
         .high = reach_bytes * table.entries.high / table.entries.value * std::max(1.0, pages_high),
         .evidence = evidence_of(table),
         .details = {{"page_bytes", table.page_bytes},
                     {"entries", six_digits(table.entries.value)},
                     {"added_ns", six_digits(table.added_ns.value)}}});
  }
  if (!hierarchy.page_tables.empty()) return;
  for (const analysis::TranslationEdge& edge : hierarchy.translation) {
    // The edge lies between this span and the next one that was walked.
    const double step = std::exp2(edge.log2_spans[1] - edge.log2_spans[0]);
    conclusion.findings.push_back(
        {.kind = &finding_kinds::translation,
         .words = words,
         .value = edge.bytes,
         .low = edge.bytes / step,
         .high = edge.bytes * step,
         .evidence = "With one line a page a load takes " + std::to_string(std::lround(edge.added_ns)) +
                     " ns longer beyond a span of " + measure::size_text(edge.bytes) +
                     ", although so few lines fit a cache: this is address translation, not a level.",
         .details = {{"added_ns", six_digits(edge.added_ns)}}});
  }
}

}  // namespace

Conclusion conclude(const Probe& probe, const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion = probe.conclude(request, measurements);
  add_cycles(conclusion.levels, measurements);
  for (FoundLevel& level : conclusion.levels) level.swept_bytes = swept_bytes(level.words, measurements);
  name_levels(conclusion.levels, request.stated_cache_bytes);
  return conclusion;
}

void name_levels(std::span<FoundLevel> levels, std::uint64_t stated_cache_bytes) {
  for (FoundLevel& one : levels) {
    const bool inside = one.swept_bytes < static_cast<double>(stated_cache_bytes);
    one.name = one.found.bytes                     ? "level " + std::to_string(one.level)
               : inside || ends_before_memory(one) ? "beyond"
                                                   : "memory";
  }
}

void add_levels(const analysis::Hierarchy& hierarchy, const Words& words, measure::Conclusion& conclusion) {
  int number = hierarchy.nearer_levels;
  for (const analysis::Level& level : hierarchy.levels) {
    conclusion.levels.push_back({.words = words, .level = ++number, .found = level});
    if (level.disagreement) conclusion.findings.push_back(order_disagreement(conclusion.levels.back()));
  }
  add_translation(hierarchy, words, conclusion);
}

std::optional<analysis::LatencyCurves> readable_part(analysis::LatencyCurves curves, const Words& words,
                                                     Conclusion& conclusion) {
  if (curves.cycle.size() < least_points || curves.smt_interference <= most_smt_interference) return curves;
  curves = analysis::undisturbed(std::move(curves));
  if (curves.cycle.size() < least_points) {
    conclusion.without_levels.push_back(
        {words, fmt::format("no cache levels: at {} of this curve {}; {}",
                            curves.cycle.empty() ? "all sizes" : "all sizes but " + std::to_string(curves.cycle.size()),
                            beside_another, measure_again)});
    return std::nullopt;
  }
  conclusion.without_levels.push_back(
      {words, fmt::format("{} {}, so these sizes are left out, and a level that ends there is missing or has wide "
                          "bounds; {}",
                          disturbed_text(curves.disturbed), beside_another, measure_again)});
  return curves;
}

}  // namespace sonde::measure
