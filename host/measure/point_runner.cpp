#include "measure/point_runner.hpp"

#include <iterator>

#include "measure/counted_work.hpp"
#include "measure/cycles.hpp"
#include "measure/repetitions.hpp"

namespace sonde::measure {
namespace {

/// The largest distance by which a working set is moved, and its steps.
constexpr std::uint64_t most_displacement_bytes = 16 << 20;
constexpr std::uint64_t displacement_step_bytes = 4096;

/// Takes memory, so that the next allocation lies elsewhere. Drivers and systems hand out again what was given back
/// last: without the displacement all working sets of a run would share their physical pages, and where those happen to
/// fall in a cache's sets would bend every point the same way. The memory is written, as otherwise no pages would stand
/// behind its addresses.
std::unique_ptr<device::Buffer> displacement(device::Device& device, std::mt19937_64& random) {
  const device::DeviceInfo& info = device.info();
  const std::uint64_t room =
      std::min<std::uint64_t>({most_displacement_bytes, device.available_bytes() / 16,
                               info.largest_buffer_bytes > 0 ? info.largest_buffer_bytes : most_displacement_bytes});
  const std::uint64_t bytes = random() % (room / displacement_step_bytes + 1) * displacement_step_bytes;
  if (bytes == 0) return nullptr;
  std::unique_ptr<device::Buffer> buffer = device.make_buffer(bytes);
  const std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, 1 << 20));
  for (std::uint64_t offset = 0; offset < bytes; offset += piece.size()) {
    buffer->write(offset, std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - offset)));
  }
  return buffer;
}

/// A visit's median has to stand one repetition that went wrong.
constexpr int least_repetitions_of_a_visit = 3;

/// The limits of one visit of a replicate: all of them share what one point may cost.
Limits limits_of_one_share(Limits limits, const Point& point) {
  const int shares = point.replicates * point.visits;
  const int least = point.visits > 1 ? least_repetitions_of_a_visit : 1;
  limits.least_repetitions = std::max(least, (limits.least_repetitions + shares - 1) / shares);
  limits.most_repetitions = std::max(least, (limits.most_repetitions + shares - 1) / shares);
  limits.device_time /= shares;
  return limits;
}

/// Adds one replicate's values to those of the replicates before.
void append(std::vector<Measurement>& all, std::size_t index, const Point& point, const std::vector<double>& values,
            const std::vector<std::size_t>& visits) {
  if (index == all.size()) all.push_back({.point = point, .unit = std::string(point.curve->unit.name), .values = {}});
  std::ranges::transform(values, std::back_inserter(all[index].values), six_digits);
  std::ranges::copy(visits, std::back_inserter(all[index].visits));
}

/// The place of extra values that were seen at a point.
Point place_of(Point point, const ExtraValues& extra) {
  point.words = with(with(point.words, extra.curve->words), extra.varied);
  point.x = with(point.x, extra.x);
  point.curve = extra.curve;
  return point;
}

}  // namespace

/// An unknown clock costs the cycles, not the point. The reason is recorded once.
std::optional<CoreClock> PointRunner::clock_now() {
  try {
    return options_.core_clock();
  } catch (const device::Lost&) {
    throw;
  } catch (const device::Unsupported&) {
  } catch (const device::Error& error) {
    if (!std::exchange(clock_failed_, true)) tell_failure_(without_cycles(error.what()));
  }
  return std::nullopt;
}

/// A failure of the recovery is recorded once: the state beside each point still tells the clock.
void PointRunner::bring_clock_back() {
  if (!options_.clock_recovery || clock_recovery_failed_) return;
  try {
    options_.clock_recovery->recover(alive_);
  } catch (const device::Lost&) {
    throw;
  } catch (const std::runtime_error& error) {
    clock_recovery_failed_ = true;
    tell_failure_(without_clock_recovery(error.what()));
  }
}

MeasuredPoint PointRunner::measure(const Probe& probe, const Visit& visit) {
  const Point& point = visit.point;
  Limits limits = limits_of_one_share(limits_of(device_.info().type), point);
  limits.traffic = options_.traffic.get();
  if (limits.traffic != nullptr) {
    // Each station of the fabric is counted twice, and the first repetitions may be left out.
    const auto turns = static_cast<int>(limits.traffic->layout().rotations);
    limits.least_repetitions = std::max(limits.least_repetitions, 2 * turns + turns / 2);
    limits.most_repetitions = std::max(limits.most_repetitions, limits.least_repetitions);
  }
  CountedWork counted(limits.traffic);
  std::vector<Measurement> all;
  State state;
  std::map<std::string, double> reached;  // sums over the replicates
  std::vector<counters::DeviceState> readings;
  std::vector<std::optional<CoreClock>> clocks;
  const counters::HostTime before = options_.host_time();
  for (int replicate = 0; replicate < point.replicates; ++replicate) {
    Request request = options_.request;
    request.alive = alive_;
    request.look = visit.look;
    request.seed += static_cast<std::uint64_t>(visit.number * point.replicates + replicate) << 32;
    std::unique_ptr<device::Buffer> moved_by = displacement(device_, random_);
    const Workload workload = counted.counted(point.curve->prepare(device_, point, request));
    moved_by.reset();
    alive_();
    std::optional<OneCore> one_core;
    if (workload.one_core && device_.info().type == device::DeviceType::cpu) one_core.emplace(options_.reading_thread);
    SmtInterference* smt_interference =
        one_core || probe.target == Target::host_cpu ? options_.smt_interference.get() : nullptr;
    bring_clock_back();
    // Readings from the time in which the host prepared do not count: the device slept then, and its clock fell.
    const auto begin = std::chrono::steady_clock::now();
    const auto* const stepped = std::get_if<SteppedWork>(&workload.work);
    const Repetitions repetitions = stepped != nullptr ? repeat(*stepped, limits, alive_, smt_interference)
                                                       : std::get<SelfTimedWork>(workload.work).repeat(limits, alive_);
    counted.add(workload, repetitions);
    // The clock is read afterwards: it fell while the host prepared, and the untimed laps brought it up again.
    clocks.push_back(workload.has_cycles ? clock_now() : std::nullopt);
    std::ranges::move(options_.device_state_since(begin), std::back_inserter(readings));
    append(all, 0, point, repetitions.values, repetitions.visits);
    for (std::size_t index = 0; index < repetitions.extra.size(); ++index) {
      const ExtraValues& extra = repetitions.extra[index];
      append(all, index + 1, place_of(point, extra), extra.values, extra.visits);
    }
    for (const auto& [name, value] : written(repetitions.reached)) reached[name] += value / point.replicates;
    state.instruction = workload.instruction;
    state.shape = workload.shape;
    state.steps = repetitions.steps;
    state.launch_ns = repetitions.launch_ns;
    state.interrupted += six_digits(repetitions.interrupted / point.replicates);
    state.disturbed = state.disturbed || repetitions.disturbed;
    state.smt_interference += six_digits(repetitions.smt_interference / point.replicates);
    state.laps_settling = std::max(state.laps_settling, six_digits(repetitions.settling));
  }
  const counters::ForeignLoad load = counters::load_between(before, options_.host_time());
  state.foreign_cpu = load.foreign_cpu;
  state.steal = load.steal;
  state.core_clock = summarize(clocks);
  state.device_state = counters::summarize(readings);
  state.clock_settled = options_.clock_settled;
  state.involuntary_switches = load.involuntary_switches;
  state.disturbed = share_of_others(state) > tolerated_foreign_share;
  for (auto& [name, value] : reached) value = six_digits(value);
  for (Measurement& one : all) {
    one.point.x = with(one.point.x, parse_coordinates(reached));
    one.state = state;
  }
  const std::vector<double> hit_rates = counted.hit_rates(point.words);
  if (probe.wants_hit_rates && !hit_rates.empty()) {
    Point by_counters = all.front().point;
    by_counters.words.method = Method::counters;
    by_counters.curve = find_curve(probe.curves, by_counters.words, "ratio");
    all.push_back({.point = by_counters, .unit = "ratio", .values = hit_rates, .state = state});
  }
  return {.curves = std::move(all), .traffic = counted.traffic()};
}

Answer PointRunner::answer(const Probe& probe, const Visit& visit) {
  using End = Answer::End;
  try {
    return {.measured = measure(probe, visit)};
  } catch (const device::TooShort& reason) {
    return {.end = End::too_short, .reason = reason.what()};
  } catch (const device::Unsupported& reason) {
    return {.end = End::unsupported, .reason = reason.what()};
  } catch (const device::Lost& error) {
    return {.end = End::lost, .reason = error.what()};
  } catch (const device::Error& error) {
    return {.end = End::failed, .reason = error.what()};
  }
}

}  // namespace sonde::measure
