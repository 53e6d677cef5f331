
#include "session/worker.hpp"

#include "counters/state/device_state.hpp"
#include "counters/state/sources.hpp"
#include "counters/traffic/sources.hpp"
#include "cpu/pinned.hpp"
#include "cpu/topology.hpp"
#include "device/model/model.hpp"
#include "measure/cycles.hpp"
#include "measure/point_runner.hpp"
#include "measure/settle.hpp"
#include "measure/smt_interference.hpp"
#include "os/machine.hpp"
#include "os/this_process.hpp"
#include "probes/catalog.hpp"
#include "records/lines.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::session {
namespace {

/// A CPU's clock settles at once, or never where other programs run; a GPU's climbs for up to half a second.
constexpr device::Nanoseconds longest_settling_of_a_cpu{200e6};
constexpr device::Nanoseconds longest_settling_of_a_gpu{2e9};

/// An H100 that its driver had let fall to a third of its clock took three seconds.
constexpr device::Nanoseconds longest_clock_recovery{4e9};
constexpr device::Nanoseconds clock_recovery_budget{30e9};

/// One worker may wait for so much device time, in all, for the end of interference: a later visit may find the core
/// quiet too.
constexpr device::Nanoseconds longest_waits_for_quiet{1e9};

/// A worker reports not more often than its parent needs: reading wakes the parent, on a core that may be the measured
/// device's.
constexpr std::chrono::milliseconds between_signs_of_life{50};

constexpr const char* without_smt_watch =
    "nothing shows whether something else works on the core that is measured, as the walk that watches for it failed: ";

/// Sends signs of life, notes about what is amiss, and the results of visits to the parent.
class Pipe {
 public:
  Pipe(const records::MeasureTask& task, const measure::SendLine& send) : task_(task), send_(send) {}

  void send(const records::Line& line) const { send_(records::text_of(line)); }
  void alive() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_sign_of_life_ < between_signs_of_life) return;
    last_sign_of_life_ = now;
    send(records::AliveLine());
  }
  /// Something that helps to measure failed; the parent knows which probe to name.
  void failed(const std::string& reason) const {
    send(records::ErrorLine{{{task_.device, records::api_name(task_.api), ""}, std::nullopt, reason}});
  }
  void skipped(const measure::Point& point, const std::string& reason) const {
    send(records::SkipLine{{task_.device, records::api_name(task_.api), ""}, point, reason});
  }
  void send(const measure::Probe& probe, const measure::Answer& answer, std::optional<double> simulated_seconds) const {
    const records::Origin origin{task_.device, records::api_name(task_.api), std::string(probe.name)};
    for (const measure::Measurement& one : answer.measured.curves) send(records::SampleLine{origin, one});
    if (answer.measured.traffic) send_traffic(origin, answer.measured.curves.front().point, *answer.measured.traffic);
    send(records::AnswerLine{.end = answer.end, .reason = answer.reason, .simulated_seconds = simulated_seconds});
  }

 private:
  void send_traffic(const records::Origin& origin, const measure::Point& point,
                    const measure::PointTraffic& seen) const {
    records::CounterLine counter{.source = seen.source,
                                 .traffic = seen.traffic,
                                 .hit_rate = seen.hit_rate,
                                 .beat_bytes = seen.beat_bytes,
                                 .point = records::CountedPoint{.origin = origin,
                                                                .point = point,
                                                                .moved_bytes = seen.moved_bytes,
                                                                .fabric_per_byte = seen.fabric_per_byte(),
                                                                .memory_per_byte = seen.memory_per_byte()}};
    // A simulated clock begins with the device, not with the run.
    const std::chrono::duration<double> start = task_.run_start.time_since_epoch();
    if (task_.api != device::Api::model)
      counter.traffic.begin_seconds = std::max(0.0, counter.traffic.begin_seconds - start.count());
    send(counter);
  }

  const records::MeasureTask& task_;
  const measure::SendLine& send_;
  std::chrono::steady_clock::time_point last_sign_of_life_;
};

/// The same work, which reports to the parent after each run.
measure::SteppedWork reporting(measure::SteppedWork work, Pipe& pipe) {
  work.run = [run = std::move(work.run), &pipe](std::uint64_t steps) {
    const device::Nanoseconds time = run(steps);
    pipe.alive();
    return time;
  };
  return work;
}

measure::SteppedWork stepped(const measure::Workload& workload) {
  return std::get<measure::SteppedWork>(workload.work);
}
measure::SteppedWork arithmetic_on(device::Device& device) { return stepped(workloads::arithmetic_chain(device)); }

/// The same work on one CPU, which the CPU's own device leaves to the system.
measure::SteppedWork on_core(measure::SteppedWork work, int cpu) {
  work.run = [run = std::move(work.run), cpu](std::uint64_t steps) {
    const cpu::Pinned pinned(cpu);
    return run(steps);
  };
  return work;
}

/// Makes something that helps to measure but can be done without. A failure goes to `record_failure`; work that is too
/// short to be timed on a busy machine is no failure.
template <typename Make>
auto optional_support(Make make, const std::function<void(const std::string& why)>& record_failure)
    -> decltype(make()) {
  try {
    return make();
  } catch (const device::Lost&) {
    throw;
  } catch (const device::TooShort&) {
  } catch (const std::runtime_error& error) {
    record_failure(error.what());
  }
  return {};
}

/// Interference is watched on CPUs only, as a GPU's units belong to one program at a time, and only where all cores are
/// alike, as one usual time of a hit serves for all.
std::shared_ptr<measure::SmtInterference> smt_interference(device::Device& device, const records::MeasureTask& task,
                                                           Pipe& pipe, os::ThreadId reading_thread) {
  const bool is_cpu = device.info().type == device::DeviceType::cpu && task.api != device::Api::model;
  if (!is_cpu || cpu::machine().kinds.size() > 1) return nullptr;
  // The walk covers most of the first cache that the system states: another program takes the lines that are used least
  // often, so that a walk over a third of the cache notices nothing while half of it is gone. The rest is for lines of
  // the driver. 16 KiB fit into every CPU's first cache.
  constexpr std::uint64_t least_bytes = 16 << 10;
  const std::uint32_t line_bytes = task.request.line_bytes;
  const auto lines =
      static_cast<std::uint32_t>(std::max(least_bytes, os::first_data_cache_bytes() / 4 * 3)) / line_bytes;
  if (task.api == device::Api::cpu) {
    const workloads::CpuPlace place{
        .core = quiet_core(cpu::machine(), 0), .pages = cpu::PageKind::small, .awake_by = {}};
    return std::make_shared<measure::SmtInterference>(
        reporting(stepped(workloads::cpu_cycle_chase(place, lines, line_bytes, task.request.seed)), pipe),
        on_core(arithmetic_on(device), place.core.cpu), longest_waits_for_quiet);
  }
  const measure::OneCore one_core(reading_thread);
  return std::make_shared<measure::SmtInterference>(
      reporting(stepped(workloads::cycle_chase(device, lines, line_bytes, task.request.seed)), pipe),
      arithmetic_on(device), longest_waits_for_quiet);
}

/// The source of cycles, which are a second unit on a device whose core clock can be measured.
std::function<std::optional<measure::CoreClock>()> core_clock(device::Device& device, const measure::Settled& settled,
                                                              counters::Sampler& sampler, Pipe& pipe) {
  const auto begin = std::chrono::steady_clock::now();
  const auto read_mhz = [&sampler, begin] { return counters::summarize(sampler.since(begin)).gpu_clock_mhz; };
  return workloads::core_clock_of(device, settled, read_mhz, [&pipe] { pipe.alive(); });
}

/// Recovery is for GPUs only: a CPU's clock is its governor's, and a CPU does not sleep while it prepares.
std::shared_ptr<measure::ClockRecovery> clock_recovery(device::Device& device, const records::MeasureTask& task,
                                                       const measure::Settled& settled) {
  if (device.info().type == device::DeviceType::cpu || task.api == device::Api::model) return nullptr;
  return std::make_shared<measure::ClockRecovery>(arithmetic_on(device), settled, longest_clock_recovery,
                                                  clock_recovery_budget);
}

/// Checks that the device's clock can be believed, and settles it. A driver that refuses the few KiB which that takes
/// has failed.
measure::Settled settle(device::Device& device, const records::MeasureTask& task, Pipe& pipe,
                        os::ThreadId reading_thread) {
  try {
    // A simulated device's time is none of the host's, and the CPU's own time is the host's: neither is checked.
    if (task.api != device::Api::model && task.api != device::Api::cpu) {
      if (const auto why = measure::why_clock_is_wrong(reporting(arithmetic_on(device), pipe)))
        throw device::Error(*why);
    }
    const bool cpu = device.info().type == device::DeviceType::cpu;
    const measure::SteppedWork arithmetic = arithmetic_on(device);
    std::optional<measure::OneCore> one_core;
    if (cpu) one_core.emplace(reading_thread);
    return measure::settle_clock(arithmetic, cpu ? longest_settling_of_a_cpu : longest_settling_of_a_gpu,
                                 [&pipe] { pipe.alive(); });
  } catch (const device::Unsupported& reason) {
    throw device::Error(reason.what());
  }
}

/// This machine's counters, where they are wanted. The right to open them is given up before this returns, as the
/// driver that is loaded next must not have it.
counters::OpenedSource machine_counters(const records::MeasureTask& task) {
  counters::OpenedSource opened;
  if (task.opens_counters && task.api != device::Api::model) opened = counters::open_traffic(task.sysfs_root);
  os::drop_capabilities();
  return opened;
}

/// The meter that counts beside the probes; null where nothing is counted.
std::shared_ptr<counters::TrafficMeter> traffic_meter(device::Device& device, counters::OpenedSource& machine) {
  if (const device::SimulatedTraffic* const simulated = device.simulated_traffic())
    return std::make_shared<counters::TrafficMeter>(device::model::simulated_counters(*simulated));
  return machine.source ? std::make_shared<counters::TrafficMeter>(std::move(machine.source)) : nullptr;
}

/// The visit of a line, with its probe; nothing where its probe or its curve is unknown.
std::optional<std::pair<const measure::Probe*, measure::Visit>> visit_of(const std::string& text) {
  const auto line = records::parse_line(text);
  const auto* const asked = line ? std::get_if<records::VisitLine>(&*line) : nullptr;
  const measure::Probe* const probe = asked != nullptr ? probes::find(asked->origin.probe) : nullptr;
  if (probe == nullptr) return std::nullopt;
  const auto curve = std::ranges::find(probe->curves, asked->curve, [](const auto* one) { return one->name; });
  if (curve == probe->curves.end()) return std::nullopt;
  measure::Visit visit = asked->visit;
  visit.point.curve = *curve;
  return std::pair(probe, visit);
}

}  // namespace

void do_task(const records::MeasureTask& task, const measure::NextLine& next, const measure::SendLine& send) {
  using End = measure::Answer::End;
  Pipe pipe(task, send);
  counters::OpenedSource counted = machine_counters(task);
  try {
    // The mask is set before the driver is loaded, whose threads inherit it, and after the machine is described, as the
    // description is cut down to the mask.
    if (task.needs_host_core) cpu::keep_off(0, quiet_core(cpu::machine(), 0).cpu);
    std::unique_ptr<device::Device> device = open_device(task);
    // The sampler is made before the clock settles: it would fall again while libraries are loaded and files looked
    // for.
    counters::Sampler sampler(counters::reader_of(task.sysfs_root, task.pci));
    if (task.api == device::Api::cpu) cpu::keep_off(sampler.thread_id(), quiet_core(cpu::machine(), 0).cpu);
    const measure::Settled clock = settle(*device, task, pipe, sampler.thread_id());
    const auto fail = [&](const std::string& what) { pipe.failed(what); };
    measure::RunnerOptions options{
        .request = task.request,
        .clock_settled = clock.stable,
        .device_state_since = [&sampler](auto moment) { return sampler.since(moment); },
        .clock_recovery = optional_support([&] { return clock_recovery(*device, task, clock); },
                                           [&](const std::string& why) { fail(measure::without_clock_recovery(why)); }),
        .smt_interference = optional_support([&] { return smt_interference(*device, task, pipe, sampler.thread_id()); },
                                             [&](const std::string& why) { fail(without_smt_watch + why); }),
        .reading_thread = sampler.thread_id()};
    const auto clock_source = optional_support([&] { return core_clock(*device, clock, sampler, pipe); },
                                               [&](const std::string& why) { fail(measure::without_cycles(why)); });
    if (clock_source) options.core_clock = clock_source;
    // Others on this machine cannot disturb a simulated device.
    if (task.api == device::Api::model) options.host_time = [] { return counters::HostTime{}; };
    const std::shared_ptr<counters::TrafficMeter> traffic = traffic_meter(*device, counted);
    if (task.counts_traffic && !traffic) {
      pipe.skipped({.words = {.method = measure::Method::counters}},
                   "nothing is counted beside these probes: " + counted.why_not);
    }
    measure::PointRunner points(*device, options, [&pipe] { pipe.alive(); });
    points.tell_failures(fail);
    pipe.send(records::InfoLine{device->info(), traffic != nullptr});
    const auto next_at_rest = [&] {
      // Other workers count with the same counters.
      const auto rest = [&](bool rests) {
        sampler.rest(rests);
        if (traffic) traffic->rest(rests);
      };
      rest(true);
      auto line = next();
      rest(false);
      return line;
    };
    while (const auto line = next_at_rest()) {
      const auto visit = visit_of(*line);
      if (!visit) throw std::runtime_error("a worker was asked for a visit that it does not know: " + *line);
      const measure::Probe& probe = *visit->first;
      options.traffic = task.counts_traffic || probe.wants_hit_rates ? traffic : nullptr;
      options.request.counts_traffic = options.traffic != nullptr;
      const std::optional<double> before = device->simulated_seconds();
      const measure::Answer answer = points.answer(probe, visit->second);
      const std::optional<double> after = device->simulated_seconds();
      pipe.send(probe, answer, after ? std::optional(*after - *before) : std::nullopt);
    }
  } catch (const device::Unsupported& reason) {
    pipe.send(records::AnswerLine{.end = End::unsupported, .reason = reason.what()});
  } catch (const device::Error& error) {
    pipe.send(records::AnswerLine{.end = End::failed, .reason = error.what()});
  }
}

}  // namespace sonde::session
