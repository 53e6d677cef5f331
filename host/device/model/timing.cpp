#include "device/model/timing.hpp"

#include <algorithm>
#include <cmath>

#include "device/error.hpp"

namespace sonde::device::model {
namespace {

constexpr double start_speed = 0.5;
constexpr double least_share_of_work = 0.01;  // Gaussian noise must not make a dispatch take less than nothing
constexpr double loads_in_a_window = 1024;

class SimulatedCompanion final : public Companion {
 public:
  SimulatedCompanion(const Description& description, Timeline& timeline)
      : description_(description), timeline_(timeline), random_(mixed(description.seed, 0xC0DE)) {}

  std::vector<ChaseWindow> chase_during(const std::function<void()>& meanwhile) override {
    timeline_.spans.clear();
    const double begin_ns = timeline_.now_ns;
    meanwhile();
    std::vector<ChaseWindow> windows;
    auto span = timeline_.spans.cbegin();
    for (double at_ns = begin_ns; at_ns < timeline_.now_ns;) {
      const double noise = std::max(0.5, 1 + description_.noise.relative * random_.gaussian());
      const double window_begin_ns = at_ns;
      for (double loads = loads_in_a_window; loads > 0;) {
        while (span != timeline_.spans.cend() && span->end_ns <= at_ns) ++span;
        const bool last = span == timeline_.spans.cend();
        const bool moves = !last && span->begin_ns <= at_ns;
        const double until_ns = last ? 1e300 : moves ? span->end_ns : span->begin_ns;
        const double latency_ns = noise * cpu_latency_ns(description_.cpu, moves ? span->gbps : 0, timeline_.full_gbps);
        const double now = std::min(loads, std::max((until_ns - at_ns) / latency_ns, 1e-3));
        loads -= now;
        at_ns += now * latency_ns;
      }
      windows.push_back({.begin = Nanoseconds(window_begin_ns),
                         .end = Nanoseconds(at_ns),
                         .ns_per_load = (at_ns - window_begin_ns) / loads_in_a_window});
    }
    return windows;
  }

  std::vector<ChaseWindow> chase_for(Nanoseconds time) override {
    return chase_during([this, time] { timeline_.now_ns += time.count(); });
  }

 private:
  const Description& description_;
  Timeline& timeline_;
  Random random_;
};

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
  // Speed grows linearly with busy time t: s(t) = start + (1 - start) t / ramp. The time T for some work is where the
  // integral of s over [busy, busy + T] reaches it: a T^2 + b T = work, as long as the ramp lasts.
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

double cpu_latency_ns(const Cpu& cpu, double gbps, double full_gbps) {
  const double share = (gbps - cpu.contention_knee_gbps) / std::max(full_gbps - cpu.contention_knee_gbps, 1e-9);
  return cpu.idle_latency_ns + (cpu.loaded_latency_ns - cpu.idle_latency_ns) * std::clamp(share, 0.0, 1.0);
}

std::unique_ptr<Companion> simulated_companion(const Description& description, Timeline& timeline) {
  if (description.cpu.idle_latency_ns <= 0 || description.cpu.loaded_latency_ns <= 0) {
    throw Unsupported("the model file says nothing of a CPU; give it cpu.idle_latency_ns and cpu.loaded_latency_ns");
  }
  return std::make_unique<SimulatedCompanion>(description, timeline);
}

}  // namespace sonde::device::model
