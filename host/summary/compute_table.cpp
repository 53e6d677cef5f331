#include "summary/compute_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

constexpr std::array types{"fp64", "fp32", "fp16", "bf16", "int64", "int32", "int16", "int8"};
constexpr std::array functions{"reciprocal", "square-root", "exponential", "sine"};
/// As for bandwidth: so much of the most is enough.
constexpr double enough = 0.95;

class Computed {
 public:
  explicit Computed(const Results& compute) {
    for (const auto& [series, samples] : compute.samples) {
      for (const measure::Measurement* one : samples) add(series, *one);
    }
  }

  /// The rate of all work-groups.
  [[nodiscard]] std::string rate(const std::string& type, const std::string& operation) const {
    return cell(type, operation, "Gop/s");
  }
  /// How long one takes that needs the one before.
  [[nodiscard]] std::string latency(const std::string& type, const std::string& operation) const {
    return cell(type, operation, "ns");
  }
  /// Gop/s of fp32 by the number of work-groups.
  [[nodiscard]] const std::map<double, double>& by_groups() const { return by_groups_; }

 private:
  using Key = std::pair<std::pair<std::string, std::string>, std::string>;

  void add(const Series& series, const measure::Measurement& one) {
    // What is over bytes or over seconds is told by findings.
    if (!one.point.x.empty() && !one.point.x.contains("groups")) return;
    const std::string& operation = series.at("operation");
    const bool multiply_add = operation == "fma" || operation == "multiply-add";
    const bool parallel = one.unit == "Gop/s";
    if (parallel && series.at("type") == "fp32" && multiply_add) {
      const auto some = one.point.x.find("groups");
      const auto all = one.state.shape.find("groups");
      if (some != one.point.x.end()) by_groups_[some->second] = measure::median_of(one);
      if (some == one.point.x.end() && all != one.state.shape.end()) by_groups_[all->second] = measure::median_of(one);
    }
    if (!one.point.x.contains("groups"))
      found_[{{series.at("type"), multiply_add ? "multiply-add" : operation}, one.unit}] = &one;
  }

  [[nodiscard]] std::string cell(const std::string& type, const std::string& operation, const std::string& unit) const {
    const auto found = found_.find({{type, operation}, unit});
    return found == found_.end() ? "" : median_cell(found->second);
  }

  std::map<Key, const measure::Measurement*> found_;
  std::map<double, double> by_groups_;
};

std::string by_type(const Computed& computed, int columns) {
  Table table({{.head = "type", .left = true},
               {.head = "multiply-add"},
               {.head = "add"},
               {.head = "multiply"},
               {.head = "one multiply-add, ns"}});
  for (const char* type : types) {
    const std::string main = computed.rate(type, "multiply-add");
    if (!main.empty())
      table.add({type, main, computed.rate(type, "add"), computed.rate(type, "multiply"),
                 computed.latency(type, "multiply-add")});
  }
  if (const std::string dots = computed.rate("int8", "dot4"); !dots.empty())
    table.add({"int8, dot4", dots, "", "", computed.latency("int8", "dot4")});
  return table.empty() ? "" : table.text(columns);
}

std::string by_function(const Computed& computed, int columns) {
  Table table({{.head = "of fp32", .left = true}, {.head = "Gop/s"}, {.head = "one, ns"}});
  for (const char* function : functions) {
    const std::string rate = computed.rate("fp32", function);
    if (!rate.empty()) table.add({function, rate, computed.latency("fp32", function)});
  }
  return table.empty() ? "" : "\n" + table.text(columns);
}

std::string scaling(const std::map<double, double>& by_groups, int columns) {
  if (by_groups.size() < 2) return "";
  double most = 0;
  for (const auto& [groups, gops] : by_groups) most = std::max(most, gops);
  const auto sufficient =
      std::ranges::find_if(by_groups, [most](const auto& point) { return point.second >= enough * most; });
  const auto& [fewest, least] = *by_groups.begin();
  return wrapped(fmt::format("fp32's multiply-adds by {:g} work-group{}: {} Gop/s; of the numbers that were tried {:g} "
                             "get {:.0f} % of the most.",
                             fewest, fewest == 1 ? "" : "s", three_digits(least), sufficient->first, 100 * enough),
                 columns);
}

}  // namespace

std::string compute_table(const Results& compute, device::Api api, int columns) {
  const Computed computed(compute);
  std::string text = by_type(computed, columns) + by_function(computed, columns);
  if (text.empty()) return "";
  text +=
      wrapped(
          "A multiply-add is two operations, dot4 four of them. One: by a single work-item, each after the one before.",
          columns) +
      scaling(computed.by_groups(), columns);
  for (const measure::Finding& finding : compute.findings) {
    const auto type = finding.series.find("type");
    const bool of_singles = type != finding.series.end() && type->second == "fp32";
    if (finding.name != "peak" || of_singles) text += wrapped(finding.evidence, columns);
  }
  return heading("Arithmetic", api, ": medians, Gop/s", columns) + text;
}

}  // namespace sonde::summary
