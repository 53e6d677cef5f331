#include "summary/view.hpp"

#include <cmath>

#include "measure/visits.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

/// The entries of a device; none where the map has none.
template <typename Entry>
std::span<const Entry> entries_of(const std::map<std::string, std::vector<Entry>>& all, const std::string& device) {
  const auto found = all.find(device);
  return found == all.end() ? std::span<const Entry>() : found->second;
}

}  // namespace

View::View(std::span<const records::Line> lines) {
  for (const records::Line& line : lines) {
    if (const auto* sample = std::get_if<records::SampleLine>(&line)) {
      const measure::Measurement& measured = sample->measurement;
      add(measured, results_[sample->origin]);
      if (records::is_point(*sample)) points_[sample->origin.device].push_back(&measured);
    } else if (const auto* level = std::get_if<records::LevelLine>(&line)) {
      results_[level->origin].levels.push_back(level->level);
    } else if (const auto* finding = std::get_if<records::FindingLine>(&line)) {
      results_[finding->origin].findings.push_back({finding->name, finding->finding});
    } else if (const auto* counter = std::get_if<records::CounterLine>(&line)) {
      if (counter->point) counted_[counter->point->origin.device].push_back(counter);
    } else if (const auto* skip = std::get_if<records::SkipLine>(&line)) {
      add_unmeasured(false, skip->origin, skip->point, skip->reason);
    } else if (const auto* error = std::get_if<records::ErrorLine>(&line)) {
      add_unmeasured(true, error->origin, error->point, error->reason);
    }
  }
}

void View::add(const measure::Measurement& sample, Results& results) {
  std::vector<const measure::Measurement*>& samples = results.samples[sample.point.words];
  const auto earlier = std::ranges::find_if(samples, [&sample](const measure::Measurement* one) {
    return one->point.x == sample.point.x && one->unit == sample.unit && one->state.shape == sample.state.shape;
  });
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

std::span<const measure::Measurement* const> View::points(const std::string& device) const {
  return entries_of(points_, device);
}

std::span<const Unmeasured> View::unmeasured(const std::string& device) const {
  return entries_of(unmeasured_, device);
}

std::span<const records::CounterLine* const> View::counted(const std::string& device) const {
  return entries_of(counted_, device);
}

bool View::has_levels() const {
  return std::ranges::any_of(results_, [](const auto& entry) { return !entry.second.levels.empty(); });
}

void View::add_unmeasured(bool failed, const records::Origin& origin, const std::optional<measure::Point>& point,
                          const std::string& reason) {
  std::vector<Unmeasured>& all = unmeasured_[origin.device];
  const auto same = std::ranges::find_if(
      all, [&](const Unmeasured& one) { return one.failed == failed && one.reason == reason && one.origin == origin; });
  if (same != all.end()) {
    ++same->others;
  } else {
    all.push_back({failed, origin, point.value_or(measure::Point{}), reason});
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
