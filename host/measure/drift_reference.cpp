#include "measure/drift_reference.hpp"

#include <algorithm>
#include <limits>

#include "device/error.hpp"

namespace sonde::measure {
namespace {

constexpr int calls_between_looks = 20;

}  // namespace

void DriftReference::choose(const std::vector<Point>& points) {
  if (point_ || points.empty()) return;
  point_ = *std::ranges::min_element(points, {}, [](const Point& point) {
    return point.expected_seconds > 0 ? point.expected_seconds : std::numeric_limits<double>::infinity();
  });
}

std::optional<double> DriftReference::drift(PointRunner& runner) {
  if (!point_ || failed_ || calls_++ % calls_between_looks != 0) return drift_;
  try {
    const Measurement now = runner.measure_once(*point_).curves.front();
    const double median = median_of(now);
    if (!first_) first_ = median;
    drift_ = median / *first_ - 1;
  } catch (const device::Lost&) {
    throw;
  } catch (const device::TooShort&) {
    give_up({});  // others disturb
  } catch (const device::Unsupported& reason) {
    give_up({.reason = reason.what(), .is_error = false});
  } catch (const device::Error& error) {
    give_up({.reason = error.what(), .is_error = true});
  }
  return drift_;
}

void DriftReference::give_up(const End& end) {
  end_ = end;
  failed_ = true;
  drift_.reset();
}

}  // namespace sonde::measure
