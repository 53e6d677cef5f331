#include "measure/probe.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "analysis/number_text.hpp"
#include "analysis/statistics.hpp"
#include "measure/curve.hpp"

namespace sonde::measure {

bool is_asked_through(const Probe& probe, device::Api api) {
  // A probe that has an id beside its name leaves it to the one of that name to give the reason.
  if (api == device::Api::model) return probe.id == probe.name;
  return (probe.target == Target::host_cpu) == (api == device::Api::cpu);
}

bool is_asked_for(const Request& request, double bytes) {
  return bytes >= static_cast<double>(request.smallest_bytes.value_or(0)) &&
         (!request.largest_bytes || bytes <= static_cast<double>(*request.largest_bytes));
}

double median_of(const Measurement& one) { return analysis::summarize(one.values).median; }

double share_of_others(const State& state) {
  return std::max({state.foreign_cpu, state.steal, state.smt_interference, state.disturbed ? state.interrupted : 0});
}

const Measurement* find(std::span<const Measurement> known, const Words& words, const Coordinates& x,
                        std::string_view unit) {
  const auto found = std::ranges::find_if(
      known, [&](const Measurement& one) { return one.unit == unit && one.point.words == words && one.point.x == x; });
  return found == known.end() ? nullptr : &*found;
}

namespace {

bool names(const Curve& curve, const std::map<std::string, std::string>& series) {
  const std::map<std::string, std::string> fixed = written(curve.words);
  const bool has_all = std::ranges::all_of(fixed, [&series](const auto& entry) {
    const auto found = series.find(entry.first);
    return found != series.end() && found->second == entry.second;
  });
  const Keys varies(curve.varies);
  return has_all && std::ranges::all_of(series, [&](const auto& entry) {
           return fixed.contains(entry.first) || varies.contains(entry.first);
         });
}

std::optional<double> per_byte(const PointTraffic& seen, counters::Role read, counters::Role write) {
  const auto& amounts = seen.traffic.amounts;
  if (!amounts[read] || !amounts[write] || seen.moved_bytes <= 0) return std::nullopt;
  if (seen.counts_cpu && !(amounts[counters::Role::cpu_read] && amounts[counters::Role::cpu_write]))
    return std::nullopt;
  const double of_the_cpu =
      amounts[counters::Role::cpu_read].value_or(0) + amounts[counters::Role::cpu_write].value_or(0);
  return (*amounts[read] + *amounts[write] - of_the_cpu) / seen.moved_bytes;
}

}  // namespace

bool Keys::contains(std::string_view wanted) const {
  bool found = false;
  for_each([&](std::string_view key) { found = found || key == wanted; });
  return found;
}

const Curve* find_curve(std::span<const Curve* const> curves, const Words& words, std::string_view unit) {
  const std::map<std::string, std::string> series = written(words);
  const std::string_view declared_unit = unit == "cycles" ? "ns" : unit;
  const auto found = std::ranges::find_if(
      curves, [&](const Curve* curve) { return curve->unit.name == declared_unit && names(*curve, series); });
  return found == curves.end() ? nullptr : *found;
}

std::optional<double> PointTraffic::fabric_per_byte() const {
  return per_byte(*this, counters::Role::fabric_read, counters::Role::fabric_write);
}

std::optional<double> PointTraffic::memory_per_byte() const {
  return per_byte(*this, counters::Role::memory_read, counters::Role::memory_write);
}

double six_digits(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

std::string size_text(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  // 1023.5 would be printed as 1024: it belongs to the next unit.
  while (bytes >= 1023.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  const bool whole = bytes >= 99.95 || bytes == static_cast<double>(static_cast<std::uint64_t>(bytes));
  const int digits = whole ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, digits, units[unit]);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e6) return fmt::format("{} us", analysis::number_text(nanoseconds / 1e3));
  return fmt::format("{} ms", analysis::number_text(nanoseconds / 1e6));
}

std::string name_of(const Probe& probe, const Point& point) {
  std::string text(probe.name);
  for (const auto& [key, word] : written(point.words)) text += " " + word;
  if (point.x.bytes) text += " " + size_text(*point.x.bytes);
  if (point.x.groups) text += fmt::format(" by {:.0f} {}", *point.x.groups, *point.x.groups == 1 ? "group" : "groups");
  if (point.x.height) text += fmt::format(" {:g}x{:g}", point.x.width.value(), *point.x.height);
  return text;
}

}  // namespace sonde::measure
