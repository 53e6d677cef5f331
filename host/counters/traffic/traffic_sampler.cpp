#include "counters/traffic/traffic_sampler.hpp"

#include "os/threads.hpp"
#include "os/time.hpp"

namespace sonde::counters {
namespace {

/// Some seconds of snapshots at the shortest interval.
constexpr std::size_t ring_snapshots = 8192;
constexpr std::uint64_t snapshots_between_times = 64;

}  // namespace

TrafficSampler::TrafficSampler(CounterSource& source, std::chrono::nanoseconds interval)
    : source_(source),
      ring_(ring_snapshots, source.layout().empty_snapshot()),
      thread_([this, interval] { run(interval); }) {}

TrafficSampler::~TrafficSampler() { stop(); }

void TrafficSampler::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

bool TrafficSampler::fetch(CounterSnapshot& into) {
  const std::size_t next = fetched_.load(std::memory_order_relaxed);
  if (next == written_.load(std::memory_order_acquire)) return false;
  into = ring_[next % ring_.size()];
  fetched_.store(next + 1, std::memory_order_release);
  return true;
}

SamplerCounts TrafficSampler::counts() const {
  return {.taken = taken_, .late = late_, .skipped = skipped_, .lost = lost_, .cpu_seconds = cpu_seconds_};
}

void TrafficSampler::store(const CounterSnapshot& snapshot) {
  const std::size_t next = written_.load(std::memory_order_relaxed);
  if (next - fetched_.load(std::memory_order_acquire) == ring_.size()) {
    ++lost_;
    return;
  }
  ring_[next % ring_.size()] = snapshot;  // both have room for as much, so that nothing is allocated
  written_.store(next + 1, std::memory_order_release);
}

void TrafficSampler::run(std::chrono::nanoseconds interval) {
  os::name_this_thread("sonde-traffic");
  // A read from another CPU interrupts the one that has the counters. If the thread may not go there, that only costs
  // time.
  (void)os::allow_cpus(0, {source_.layout().cpu});
  CounterSnapshot snapshot = source_.layout().empty_snapshot();
  const std::int64_t step = interval.count();
  std::int64_t due = os::steady_ns();
  while (!stopping_) {
    source_.read(snapshot);
    source_.rotate_group();
    store(snapshot);
    if (++taken_ % snapshots_between_times == 1) cpu_seconds_ = os::cpu_time_of_this_thread().seconds;
    if (snapshot.before_ns - due > step / 2) ++late_;
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
