#include "device/model/timing.hpp"

#include <algorithm>
#include <cmath>

namespace sonde::device::model {
namespace {

constexpr double start_speed = 0.5;
constexpr double least_share_of_work = 0.01;  // Gaussian noise must not make a dispatch take less than nothing

}  // namespace

Timing::Timing(const Description& description)
    : noise_(description.noise),
      launch_ns_(description.launch_ns),
      first_launch_ns_(description.first_launch_ms * 1e6),
      timer_step_ns_(description.timer_step_ns),
      random_(mixed(description.seed, 0x7131)) {}

double Timing::dispatch_ns(double work_ns, Launched launched) {
  const Draw draw = next_draw();
  double ns = (launch_ns_ + slowed_by_ramp_ns(work_ns) * draw.on_work) * draw.on_all;
  if (launched == Launched::first) ns += first_launch_ns_;
  return stepped_ns(ns);
}

double Timing::copies_ns(double work_ns) {
  const Draw draw = next_draw();
  return work_ns * draw.on_work * draw.on_all;
}

double Timing::stepped_ns(double ns) const { return std::round(ns / timer_step_ns_) * timer_step_ns_; }

Timing::Draw Timing::next_draw() {
  // Both draws are made every time, so that one dispatch's outcome does not shift the next one's.
  const double deviation = random_.gaussian() * noise_.relative;
  const bool is_outlier = random_.uniform() < noise_.outlier_share;
  return {.on_work = std::max(least_share_of_work, 1 + deviation), .on_all = is_outlier ? noise_.outlier_factor : 1};
}

double Timing::slowed_by_ramp_ns(double work_ns) {
  // Speed grows linearly with busy time t: s(t) = start + (1 - start) t / ramp. The time T for some work is
  // where the integral of s over [busy, busy + T] reaches it: a T^2 + b T = work, as long as the ramp lasts.
  const double ramp_ns = noise_.ramp_seconds * 1e9;
  const double left_ns = ramp_ns - busy_ns_;
  double ns = work_ns;
  if (left_ns > 0) {
    const double a = (1 - start_speed) / (2 * ramp_ns);
    const double b = start_speed + (1 - start_speed) * busy_ns_ / ramp_ns;
    const double work_in_ramp_ns = (a * left_ns + b) * left_ns;
    ns = work_ns < work_in_ramp_ns ? 2 * work_ns / (b + std::sqrt(b * b + 4 * a * work_ns))
                                   : left_ns + work_ns - work_in_ramp_ns;
  }
  busy_ns_ += ns;
  return ns;
}

}  // namespace sonde::device::model
