#include "device/model/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "device/model/memory.hpp"
#include "device/model/storage.hpp"

namespace sonde::device::model {
namespace {

constexpr double start_speed = 0.5;
constexpr double least_share_of_work = 0.01;  // Gaussian noise must not make a dispatch take less than nothing
constexpr double loads_in_a_window = 1024;

class SimulatedCompanion final : public Companion {
 public:
  SimulatedCompanion(const Description& description, Timeline& timeline)
      : description_(description), timeline_(timeline), random_(mixed(noise_seed(description), 0xC0DE)) {}

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

constexpr std::uint32_t most_queues = 64;
constexpr std::size_t directions = 3;

/// An engine and the copy that it works at, first its latency and then its bytes.
struct SimulatedEngine {
  const Transport* copy = nullptr;
  std::size_t queue = 0;
  double latency_ns = 0;
  double bytes = 0;

  [[nodiscard]] std::size_t direction() const { return static_cast<std::size_t>(copy->direction); }
};

Transport transport_of(const Copy& copy) {
  using enum Transport::CopyDirection;
  if (copy.from.buffer == nullptr && copy.to.buffer == nullptr) throw Error("a copy from host memory to host memory");
  return {copy.from.buffer == nullptr ? to_device
          : copy.to.buffer == nullptr ? to_host
                                      : within,
          static_cast<double>(copy.bytes)};
}

std::span<std::byte> part_of(HostBlock& host, std::uint64_t offset_bytes, std::uint64_t bytes) {
  const std::span<std::byte> all = host.bytes();
  if (offset_bytes > all.size() || bytes > all.size() - offset_bytes) throw Error("a copy reaches beyond host memory");
  return all.subspan(offset_bytes, bytes);
}

void move(const Copy& copy) {
  const std::span<const std::byte> from =
      copy.from.buffer != nullptr
          ? dynamic_cast<Storage&>(*copy.from.buffer).read_in_place(copy.from.offset_bytes, copy.bytes)
          : part_of(*copy.from.host, copy.from.offset_bytes, copy.bytes);
  if (copy.to.buffer != nullptr) {
    copy.to.buffer->write(copy.to.offset_bytes, from);
  } else {
    std::ranges::copy(from, part_of(*copy.to.host, copy.to.offset_bytes, copy.bytes).begin());
  }
}

class ModelCopies final : public CopyEngines {
 public:
  ModelCopies(const Description& description, double within_gbps, Timing& timing, SimulatedTraffic& traffic,
              Clocks& clocks, Device& device)
      : description_(description),
        within_gbps_(within_gbps),
        timing_(timing),
        traffic_(traffic),
        clocks_(clocks),
        device_(device) {}

  CopyQueues queues(CopyEngine engine) override {
    if (engine == CopyEngine::transfer) throw Unsupported("a model's copy engines are those of its driver");
    return {.name = "simulated queues", .count = most_queues};
  }

  std::unique_ptr<HostBlock> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
    if (kind == HostKind::imported) throw Unsupported("a model imports no memory");
    clocks_.beside_dispatches +=
        HostCosts{.copy = {}, .clearing_gbps = HostCosts::host_clearing_gbps}.making(size_bytes);
    return std::make_unique<PageableMemory>(size_bytes);
  }

  CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) override {
    if (lists.size() > queues(engine).count) throw Unsupported("a model has 64 queues");
    std::vector<std::vector<Transport>> transports;
    double bytes = 0;
    const Nanoseconds before = clocks_.beside_dispatches;
    for (const CopyList& list : lists) {
      transports.emplace_back();
      for (const Copy& copy : list) {
        transports.back().push_back(transport_of(copy));
        move(copy);
        bytes += static_cast<double>(copy.bytes);
      }
    }
    const Schedule found = schedule(description_, within_gbps_, transports);
    const double noise = timing_.copies_ns(found.all_ns) / std::max(found.all_ns, 1e-9);
    CopyTimes times{.all = Nanoseconds(timing_.stepped_ns(found.all_ns * noise)), .each = {}};
    add_copies(traffic_, bytes, times.all.count());
    clocks_.beside_dispatches = before + HostCosts::submit_and_wait + times.all;
    for (const double ns : found.each_ns) times.each.emplace_back(timing_.stepped_ns(ns * noise));
    return times;
  }

  BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) override {
    const CopyTimes copies = run(engine, std::span(&list, 1));
    const Nanoseconds kernel_time = device_.run(kernel, launch);
    return {.copies = copies.all, .kernel = kernel_time, .kernel_outlasted = kernel_time > copies.all};
  }

 private:
  const Description& description_;
  double within_gbps_;
  Timing& timing_;
  SimulatedTraffic& traffic_;
  Clocks& clocks_;
  Device& device_;
};

}  // namespace

double Timing::dispatch_ns(double work_ns, bool is_first) {
  const Draw draw = next_draw();
  double ns = (description_.launch_ns + slowed_by_ramp_ns(work_ns) * draw.on_work) * draw.on_all;
  if (is_first) ns += description_.first_launch_ms * 1e6;
  return stepped_ns(ns);
}

double Timing::copies_ns(double work_ns) {
  const Draw draw = next_draw();
  return work_ns * draw.on_work * draw.on_all;
}

double Timing::stepped_ns(double ns) const {
  return std::round(ns / description_.timer_step_ns) * description_.timer_step_ns;
}

Timing::Draw Timing::next_draw() {
  // Both draws are made every time, so that one dispatch's outcome does not shift the next one's.
  const double deviation = random_.gaussian() * description_.noise.relative;
  const bool is_outlier = random_.uniform() < description_.noise.outlier_share;
  return {.on_work = std::max(least_share_of_work, 1 + deviation),
          .on_all = is_outlier ? description_.noise.outlier_factor : 1};
}

double Timing::slowed_by_ramp_ns(double work_ns) {
  // Speed grows linearly with busy time t: s(t) = start + (1 - start) t / ramp. The time T for some work is where the
  // integral of s over [busy, busy + T] reaches it: a T^2 + b T = work, as long as the ramp lasts.
  const double ramp_ns = description_.noise.ramp_seconds * 1e9;
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

Schedule schedule(const Description& description, double within_gbps,
                  const std::vector<std::vector<Transport>>& queues) {
  // Rates in bytes a nanosecond, by direction.
  const std::array<double, directions> rates{description.copy.to_device_gbps, description.copy.to_host_gbps,
                                             within_gbps};
  Schedule result{.all_ns = 0, .each_ns = std::vector<double>(queues.size())};
  std::vector<std::size_t> done(queues.size());
  std::vector<bool> is_served(queues.size());
  std::vector<SimulatedEngine> engines(std::max(1u, description.copy.engines));
  std::size_t turn = 0;  // counts the queues that were asked
  for (;;) {
    for (SimulatedEngine& engine : engines) {
      for (std::size_t tried = 0; tried < queues.size() && engine.copy == nullptr; ++tried) {
        const std::size_t queue = turn++ % queues.size();
        if (is_served[queue] || done[queue] == queues[queue].size()) continue;
        is_served[queue] = true;
        const Transport& next = queues[queue][done[queue]++];
        engine = {.copy = &next, .queue = queue, .latency_ns = description.copy.latency_us * 1e3, .bytes = next.bytes};
      }
    }
    std::array<double, directions> sharers{};
    for (const SimulatedEngine& engine : engines) {
      if (engine.copy != nullptr && engine.latency_ns <= 0) ++sharers[engine.direction()];
    }
    const auto left_ns = [&](const SimulatedEngine& engine) {
      if (engine.latency_ns > 0) return engine.latency_ns;
      return engine.bytes / (rates[engine.direction()] / sharers[engine.direction()]);
    };
    double step_ns = -1;
    for (const SimulatedEngine& engine : engines) {
      if (engine.copy != nullptr) step_ns = step_ns < 0 ? left_ns(engine) : std::min(step_ns, left_ns(engine));
    }
    if (step_ns < 0) return result;
    result.all_ns += step_ns;
    for (SimulatedEngine& engine : engines) {
      if (engine.copy == nullptr) continue;
      const bool ends = left_ns(engine) <= step_ns * (1 + 1e-12);
      if (engine.latency_ns > 0) {
        engine.latency_ns = ends ? 0 : engine.latency_ns - step_ns;
      } else if (!ends) {
        engine.bytes -= step_ns * rates[engine.direction()] / sharers[engine.direction()];
      } else {
        result.each_ns[engine.queue] = result.all_ns;
        is_served[engine.queue] = false;
        engine.copy = nullptr;
      }
    }
  }
}

std::unique_ptr<CopyEngines> make_copy_engines(const Description& description, double within_gbps, Timing& timing,
                                               SimulatedTraffic& traffic, Clocks& clocks, Device& device) {
  if (description.copy.to_device_gbps <= 0 || description.copy.to_host_gbps <= 0) {
    throw Unsupported("the model file gives no copy.to_device_gbps and copy.to_host_gbps");
  }
  return std::make_unique<ModelCopies>(description, within_gbps, timing, traffic, clocks, device);
}

}  // namespace sonde::device::model
