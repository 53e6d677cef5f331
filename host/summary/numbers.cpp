#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "summary/first_screen.hpp"

namespace sonde::summary {
namespace {

/// Half the width of an interval, by which the value is given: no finer than it, and in two digits at most.
std::string half_width(const analysis::Estimate& interval) {
  const double half = (interval.high - interval.low) / 2;
  return analysis::rounded_text(half, std::min(analysis::decimals_of(interval.value), analysis::decimals_of(half) - 1),
                                analysis::Written::on_a_screen);
}

}  // namespace

std::string significant(double value) { return analysis::number_text(value, 3, analysis::Written::on_a_screen); }

std::string cell_with_interval(const analysis::Estimate& interval, measure::Quantity quantity) {
  std::string value = significant(interval.value);
  if (measure::is_within_target(interval, quantity)) return value;
  return measure::is_steady(interval) ? value + " ± " + half_width(interval)
                                      : significant(interval.low) + "–" + significant(interval.high);
}

std::string size_interval(const analysis::Bracket& bytes) {
  if (measure::is_within_target(bytes, measure::Quantity::size)) return "";
  constexpr std::array units{" B", " KiB", " MiB", " GiB"};
  const std::string value = measure::size_text(bytes.value);
  const auto* const unit = std::ranges::find_if(units, [&value](const char* one) { return value.ends_with(one); });
  const double scale = unit == units.end() ? 1 : std::pow(1024, unit - units.begin());
  return "(" + significant(bytes.low / scale) + "–" + significant(bytes.high / scale) + ")";
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at)
    text += (at == 0 ? "" : at + 1 == words.size() ? " and " : ", ") + words[at];
  return text;
}

void add_said(const Shown& shown, const Said& said, Topic& topic) {
  const bool is_one = said.size() >= shown.apis && std::ranges::all_of(said, [&said](const auto& one) {
                        return one.second == said.begin()->second;
                      });
  for (const auto& [api, text] : said) {
    topic.parts.push_back(is_one ? text : records::spoken_name(api) + ": " + text);
    if (is_one) return;
  }
}

analysis::Estimate estimate_of(const measure::Finding& finding) {
  constexpr double unknown_share = 0.25;
  const double value = finding.value.value_or(0);
  const double unknown = unknown_share * std::abs(value);
  return {finding.low.value_or(value - unknown), value, finding.high.value_or(value + unknown)};
}

std::string said_with_interval(const measure::Finding& finding) {
  if (finding.value && (!finding.low || !finding.high)) return "≈ " + significant(*finding.value);
  const analysis::Estimate interval = estimate_of(finding);
  if (!measure::is_steady(interval))
    return significant(interval.low) + "–" + significant(interval.high) + " (not steady)";
  const std::string value = significant(interval.value);
  return measure::is_within_target(interval, measure::Quantity::rate) ? value
                                                                      : value + " (± " + half_width(interval) + ")";
}

const measure::Finding* find_finding(const Results& results, std::string_view name,
                                     const std::function<bool(const Words&)>& passes) {
  const auto found = std::ranges::find_if(results.findings, [&](const records::FindingLine& line) {
    return line.name == name && passes(line.finding.words);
  });
  return found == results.findings.end() ? nullptr : &found->finding;
}

}  // namespace sonde::summary
