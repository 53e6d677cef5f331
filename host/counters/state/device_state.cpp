#include "counters/state/device_state.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "analysis/statistics.hpp"
#include "os/machine.hpp"
#include "os/time.hpp"

namespace sonde::counters {
namespace {

template <typename Reduce>
std::optional<double> reduced(std::span<const DeviceState> readings, std::optional<double> DeviceState::* field,
                              Reduce reduce) {
  std::vector<double> values;
  for (const DeviceState& reading : readings) {
    if (reading.*field) values.push_back(*(reading.*field));
  }
  return values.empty() ? std::nullopt : std::optional<double>(reduce(values));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

constexpr int rest_per_reading = 50;
constexpr std::chrono::seconds longest_rest{1};

}  // namespace

DeviceState summarize(std::span<const DeviceState> readings) {
  DeviceState all;
  const auto median = [](const std::vector<double>& values) { return analysis::quantile(values, 0.5); };
  all.gpu_clock_mhz = reduced(readings, &DeviceState::gpu_clock_mhz, median);
  all.memory_clock_mhz = reduced(readings, &DeviceState::memory_clock_mhz, median);
  all.cpu_clock_mhz = reduced(readings, &DeviceState::cpu_clock_mhz, median);
  all.memory_peak_gbps = reduced(readings, &DeviceState::memory_peak_gbps, std::ranges::max);
  all.temperature_celsius = reduced(readings, &DeviceState::temperature_celsius, std::ranges::max);
  all.power_watts = reduced(readings, &DeviceState::power_watts, mean);
  for (const DeviceState& reading : readings) {
    if (!reading.throttle_reasons) continue;
    if (!all.throttle_reasons) all.throttle_reasons.emplace();
    all.throttle_reasons->insert(reading.throttle_reasons->begin(), reading.throttle_reasons->end());
  }
  return all;
}

Sampler::Sampler(std::function<DeviceState()> read, std::chrono::milliseconds interval) : read_(std::move(read)) {
  read_once();
  os::Awaited<os::ThreadId> started(0);
  thread_ = std::jthread([this, interval, &started] {
    os::name_this_thread("sonde-state");
    started.set(os::this_thread());
    run(interval);
  });
  thread_id_ = started.wait_until([](os::ThreadId id) { return id != 0; });
}

std::vector<DeviceState> Sampler::since(Clock::time_point moment) {
  const std::lock_guard lock(mutex_);
  while (readings_.size() > 1 && readings_.front().first < moment) readings_.pop_front();
  const auto found = std::views::values(readings_);
  return {found.begin(), found.end()};
}

void Sampler::run(std::chrono::milliseconds interval) {
  Clock::duration rest = interval;
  while (!ended_.wait_for(rest, [](bool ended) { return ended; })) {
    const Clock::time_point begin = Clock::now();
    if (!rests_) read_once();
    const Clock::duration rest_of_the_slow = (Clock::now() - begin) * rest_per_reading;
    rest = std::max<Clock::duration>(interval, std::min<Clock::duration>(rest_of_the_slow, longest_rest));
  }
}

void Sampler::read_once() {
  const Clock::time_point when = Clock::now();
  const DeviceState reading = read_();
  const std::lock_guard lock(mutex_);
  readings_.emplace_back(when, reading);
}

HostTime read_host_time() {
  const os::MachineTime machine = os::cpu_time_of_this_machine();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now().time_since_epoch();
  const os::CpuTime own = os::cpu_time_of_this_process();
  return {.wall = passed.count() * os::online_cpus(),
          .busy = machine.busy,
          .own = own.seconds,
          .steal = machine.steal,
          .tick = machine.tick,
          .involuntary_switches = own.involuntary_switches};
}

ForeignLoad load_between(const HostTime& before, const HostTime& after) {
  const double wall = after.wall - before.wall;
  if (wall <= 0) return {};
  const double foreign = (after.busy - before.busy) - (after.own - before.own) - after.tick;
  return {.foreign_cpu = std::clamp(foreign / wall, 0.0, 1.0),
          .steal = std::clamp((after.steal - before.steal) / wall, 0.0, 1.0),
          .involuntary_switches = after.involuntary_switches - before.involuntary_switches};
}

}  // namespace sonde::counters
