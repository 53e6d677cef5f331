#include "counters/traffic/traffic_meter.hpp"

#include <limits>
#include <ranges>

#include "os/threads.hpp"

namespace sonde::counters {
namespace {

constexpr std::uint64_t most_count = std::numeric_limits<std::uint64_t>::max();

/// The sum, or the largest number, which no counter reaches, in place of an overflow.
std::uint64_t sum_of(std::uint64_t one, std::uint64_t other) {
  return one > most_count - other ? most_count : one + other;
}

void add(CounterSnapshot& sum, const CounterSnapshot& before, const CounterSnapshot& after, const Layout& layout) {
  const std::uint64_t mask = layout.largest_value();
  for (std::size_t place = 0; place < sum.values.size(); ++place) {
    const bool at_its_end = layout.saturates && after.values[place] >= mask;
    sum.values[place] =
        at_its_end ? most_count : sum_of(sum.values[place], (after.values[place] - before.values[place]) & mask);
  }
  for (std::size_t group = 0; group < sum.groups.size(); ++group) {
    GroupState& state = sum.groups[group];
    state.enabled_ns += after.groups[group].enabled_ns - before.groups[group].enabled_ns;
    state.running_ns += after.groups[group].running_ns - before.groups[group].running_ns;
    for (const GroupStatus status : {before.groups[group].status, after.groups[group].status}) {
      if (status != GroupStatus::counting) state.status = status;
    }
  }
  sum.before_ns += after.before_ns - before.before_ns;
  sum.after_ns += after.after_ns - before.after_ns;
}

using Windows = std::vector<MeteredWindow>;

/// The number of windows in which a group has counted.
std::ptrdiff_t windows_counted(const Windows& windows, std::size_t group) {
  return std::ranges::count_if(windows, [group](const MeteredWindow& window) {
    return window.after.groups[group].enabled_ns > window.before.groups[group].enabled_ns;
  });
}

bool each_group_has_counted(const Windows& windows, const Layout& layout) {
  return std::ranges::all_of(std::views::iota(std::size_t{0}, layout.groups), [&](std::size_t group) {
    return !layout.rotates(group) || windows_counted(windows, group) > 0;
  });
}

/// Scales each rotated group's times as if all windows had been equally long: each did the same work, and one that was
/// interrupted took longer without moving more.
void count_windows_alike(CounterSnapshot& sum, const Windows& windows, const Layout& layout) {
  const double mean_ns = static_cast<double>(sum.before_ns + sum.after_ns) / 2 / static_cast<double>(windows.size());
  for (std::size_t group = 0; group < sum.groups.size(); ++group) {
    GroupState& state = sum.groups[group];
    if (!layout.rotates(group) || state.enabled_ns == 0) continue;
    const double factor =
        static_cast<double>(windows_counted(windows, group)) * mean_ns / static_cast<double>(state.enabled_ns);
    state.running_ns = static_cast<std::uint64_t>(factor * static_cast<double>(state.running_ns));
    state.enabled_ns = static_cast<std::uint64_t>(factor * static_cast<double>(state.enabled_ns));
  }
}

/// The traffic of windows as if they had followed one another. Each group has counted in some of them.
Traffic traffic_in(const Windows& windows, const Layout& layout) {
  Layout summed = layout;
  summed.width_bits = 64;
  const CounterSnapshot nothing = layout.empty_snapshot();
  CounterSnapshot sum = nothing;
  for (const auto& [amount, before, after] : windows) add(sum, before, after, layout);
  count_windows_alike(sum, windows, layout);
  Traffic traffic = traffic_between(nothing, sum, summed);
  traffic.begin_seconds =
      static_cast<double>(std::min(windows.front().before.before_ns, windows.back().before.before_ns)) * 1e-9;
  return traffic;
}

/// Some seconds of snapshots at the shortest interval.
constexpr std::size_t ring_snapshots = 8192;
constexpr std::uint64_t snapshots_between_times = 64;

}  // namespace

TrafficMeter::TrafficMeter(std::unique_ptr<CounterSource> source)
    : source_(std::move(source)), before_(source_->layout().empty_snapshot()), after_(before_) {}

void TrafficMeter::end(std::uint64_t amount) {
  source_->read(after_);  // before the allocation below, which is no part of the window
  windows_.push_back({amount, before_, after_});
  // With short and long windows in alternation, some groups would otherwise count in long windows only.
  if (amount >= last_amount_) source_->rotate_group();
  last_amount_ = amount;
}

TrafficMeter::Taken TrafficMeter::take(std::uint64_t amount, std::size_t most) {
  std::erase_if(windows_, [amount](const MeteredWindow& window) { return window.amount != amount; });
  const std::size_t first = windows_.size() > most ? windows_.size() - most : 0;
  Taken taken;
  Windows piece;
  // The latest windows come first, so that the earliest are left over: in those caches may still have been filling.
  for (MeteredWindow& window : std::span(windows_).subspan(first) | std::views::reverse) {
    piece.push_back(std::move(window));
    if (!each_group_has_counted(piece, layout())) continue;
    taken.windows += piece.size();
    taken.pieces.push_back(traffic_in(piece, layout()));
    piece.clear();
  }
  windows_.clear();
  last_amount_ = 0;
  return taken;
}

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
    const std::size_t next = written_.load(std::memory_order_relaxed);
    if (next - fetched_.load(std::memory_order_acquire) == ring_.size()) {
      ++lost_;
    } else {
      ring_[next % ring_.size()] = snapshot;  // both have room for as much, so that nothing is allocated
      written_.store(next + 1, std::memory_order_release);
    }
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
