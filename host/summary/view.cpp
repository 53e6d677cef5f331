#include "summary/summary.hpp"

#include <cmath>

#include "measure/visits.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
View::View(std::span<const records::Line> lines) {
  for (const records::Line& line : lines) {
    if (const auto* sample = std::get_if<records::SampleLine>(&line)) {
      const measure::Measurement& measured = sample->measurement;
      add(measured, results_[sample->origin]);
      if (records::is_point(*sample)) devices_[sample->origin.device].points.push_back(&measured);
    } else if (const auto* level = std::get_if<records::LevelLine>(&line)) {
      results_[level->origin].levels.push_back(level->level);
    } else if (const auto* finding = std::get_if<records::FindingLine>(&line)) {
      results_[finding->origin].findings.push_back(*finding);
    } else if (const auto* counter = std::get_if<records::CounterLine>(&line)) {
      if (counter->point) devices_[counter->point->origin.device].counted.push_back(counter);
    } else if (const auto* skip = std::get_if<records::SkipLine>(&line)) {
      add_unmeasured(false, *skip);
    } else if (const auto* error = std::get_if<records::ErrorLine>(&line)) {
      add_unmeasured(true, *error);
    }
  }
  for (auto& [origin, results] : results_) {
    std::ranges::stable_sort(results.levels, {},
                             [](const measure::FoundLevel& one) { return std::tie(one.words, one.level); });
  }
}

void View::add(const measure::Measurement& sample, Results& results) {
  std::vector<const measure::Measurement*>& samples = results.samples[sample.point.words];
  const auto earlier = std::ranges::find_if(
      samples, [&sample](const measure::Measurement* one) { return measure::are_of_one_point(*one, sample); });
  if (earlier == samples.end()) {
    samples.push_back(&sample);
    return;
  }
  measure::Measurement all = **earlier;
  measure::add_visit(all, sample);
  *earlier = &visited_.emplace_back(std::move(all));
}

const Results& View::of(const std::string& device, device::Api api, std::string_view probe) const {
  static const Results none;
  const auto found = results_.find({device, records::api_name(api), std::string(probe)});
  return found == results_.end() ? none : found->second;
}

const OfDevice& View::of(const std::string& device) const {
  static const OfDevice none;
  const auto found = devices_.find(device);
  return found == devices_.end() ? none : found->second;
}

bool View::has_levels() const {
  return std::ranges::any_of(results_, [](const auto& entry) { return !entry.second.levels.empty(); });
}

void View::add_unmeasured(bool failed, const records::SkipLine& line) {
  std::vector<Unmeasured>& all = devices_[line.origin.device].unmeasured;
  const auto same = std::ranges::find_if(all, [&](const Unmeasured& one) {
    return one.failed == failed && one.reason == line.reason && one.origin == line.origin;
  });
  if (same != all.end()) {
    ++same->others;
  } else {
    all.push_back({failed, line.origin, line.point.value_or(measure::Point{}), line.reason});
  }
}

BySize by_size(std::span<const measure::Measurement* const> samples, const std::string& unit) {
  BySize curve;
  for (const measure::Measurement* one : samples) {
    const std::optional<double> bytes = one->point.x.bytes;
    if (one->unit == unit && bytes && one->point.x == measure::Coordinates{.bytes = bytes}) curve[*bytes] = one;
  }
  return curve;
}

bool is_near(double bytes, double row_bytes) { return std::abs(bytes / row_bytes - 1) < 0.1; }

const measure::Measurement* near(const BySize& curve, double bytes) {
  const auto distance = [bytes](const auto& point) { return std::abs(point.first / bytes - 1); };
  const auto nearest = std::ranges::min_element(curve, {}, distance);
  return nearest != curve.end() && is_near(nearest->first, bytes) ? nearest->second : nullptr;
}

std::vector<double> rows_of_sizes(std::span<const double> measured_bytes) {
  std::vector<double> measured;
  std::vector<double> rows(round_sizes.begin(), round_sizes.end());
  const auto add = [](std::vector<double>& sizes, double bytes) {
    if (std::ranges::none_of(sizes, [bytes](double size) { return is_near(bytes, size); })) sizes.push_back(bytes);
  };
  for (const double bytes : measured_bytes) add(measured, bytes);
  if (!measured_bytes.empty()) add(rows, std::ranges::max(measured_bytes));
  if (measured.size() <= round_sizes.size()) rows = measured;
  std::ranges::sort(rows);
  return rows;
}

std::string marked(std::string cell, const measure::Measurement& measurement) {
  return measurement.state.disturbed ? std::move(cell) + " *" : std::move(cell);
}

std::string median_cell(const measure::Measurement* point) {
  return point == nullptr ? "" : marked(three_digits(measure::median_of(*point)), *point);
}

}  // namespace sonde::summary
