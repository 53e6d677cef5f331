#include "device/model/companion.hpp"

#include <algorithm>

#include "device/error.hpp"
#include "device/model/random.hpp"

namespace sonde::device::model {
namespace {

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
