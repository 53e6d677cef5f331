#include "counters/traffic/traffic_sampler.hpp"

#include "os/clock.hpp"
#include "os/cpu_time.hpp"
#include "os/threads.hpp"

namespace sonde::counters {
namespace {

/// Some seconds of readings at the shortest interval.
constexpr std::size_t ring_readings = 8192;
constexpr std::uint64_t readings_between_times = 64;

}  // namespace

TrafficSampler::TrafficSampler(CounterSource& source, std::chrono::nanoseconds interval)
    : source_(source),
      ring_(ring_readings, source.layout().empty_reading()),
      thread_([this, interval] { run(interval); }) {}

TrafficSampler::~TrafficSampler() { stop(); }

void TrafficSampler::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

bool TrafficSampler::fetch(Reading& into) {
  const std::size_t next = fetched_.load(std::memory_order_relaxed);
  if (next == written_.load(std::memory_order_acquire)) return false;
  into = ring_[next % ring_.size()];
  fetched_.store(next + 1, std::memory_order_release);
  return true;
}

SamplerCounts TrafficSampler::counts() const {
  return {.taken = taken_, .late = late_, .skipped = skipped_, .lost = lost_, .cpu_seconds = cpu_seconds_};
}

void TrafficSampler::store(const Reading& reading) {
  const std::size_t next = written_.load(std::memory_order_relaxed);
  if (next - fetched_.load(std::memory_order_acquire) == ring_.size()) {
    ++lost_;
    return;
  }
  ring_[next % ring_.size()] = reading;  // both have room for as much: nothing is allocated
  written_.store(next + 1, std::memory_order_release);
}

void TrafficSampler::run(std::chrono::nanoseconds interval) {
  os::name_this_thread("sonde-traffic");
  // From another CPU each read would interrupt the one that has the counters. Where that is not allowed it only costs.
  (void)os::allow_cpus(0, {source_.layout().cpu});
  Reading reading = source_.layout().empty_reading();
  const std::int64_t step = interval.count();
  std::int64_t due = os::steady_ns();
  while (!stopping_) {
    source_.read(reading);
    source_.pass_the_turn_on();
    store(reading);
    if (++taken_ % readings_between_times == 1) cpu_seconds_ = os::cpu_time_of_this_thread().seconds;
    if (reading.before_ns - due > step / 2) ++late_;
    due += step;
    const std::int64_t now = os::steady_ns();
    if (due <= now) {
      const std::int64_t passed = (now - due) / step + 1;
      skipped_ += static_cast<std::uint64_t>(passed);
      due += passed * step;
    }
    os::sleep_until_ns(due);
  }
  cpu_seconds_ = os::cpu_time_of_this_thread().seconds;
}

}  // namespace sonde::counters
