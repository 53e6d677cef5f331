#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "counters/traffic/counter_source.hpp"

namespace sonde::test {

inline constexpr std::uint64_t tick_ns = 1'000'000;

/// A kernel in which every event counts as fast as the test says, by its configuration word.
struct FakeKernel {
  std::uint64_t now_ns = 0;
  std::map<std::uint32_t, std::size_t> counters_of;  ///< by type; any number where it is not named
  std::map<std::uint32_t, std::error_code> refused;  ///< by type
  double running_share = 1;                          ///< of the time, where the kernel shares counters out
  bool accepts_too_many = false;                     ///< and never counts them, as before 6.12
  std::function<std::uint64_t(const os::PerfEvent&)> counts_per_tick = [](const os::PerfEvent&) { return 1000; };
  std::size_t most_events = 0;
  int counting = 0;  ///< groups of type 11 that are enabled now
  int most_counting = 0;

  std::unique_ptr<counters::EventGroup> open(std::span<const os::PerfEvent> events, std::error_code& problem);
  counters::OpenGroup opener() {
    return
        [this](std::span<const os::PerfEvent> events, int, std::error_code& problem) { return open(events, problem); };
  }
  std::function<void()> wait() {
    return [this] { now_ns += 20 * tick_ns; };
  }
};

class FakeGroup final : public counters::EventGroup {
 public:
  FakeGroup(FakeKernel& kernel, std::span<const os::PerfEvent> events, bool placed)
      : kernel_(kernel), events_(events.begin(), events.end()), placed_(placed), values_(events.size()) {}
  ~FakeGroup() override { (void)FakeGroup::disable(); }

  std::error_code enable() noexcept override {
    if (!enabled_ && events_[0].type == 11) kernel_.most_counting = std::max(kernel_.most_counting, ++kernel_.counting);
    enabled_ = true;
    since_ns_ = kernel_.now_ns;
    return {};
  }
  std::error_code disable() noexcept override {
    count();
    if (enabled_ && events_[0].type == 11) --kernel_.counting;
    enabled_ = false;
    return {};
  }
  std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept override {
    count();
    std::ranges::copy(values_, values.begin());
    times = {.enabled_ns = enabled_ns_, .running_ns = placed_ ? running_ns_ : 0};
    return {};
  }

 private:
  void count() {
    const std::uint64_t passed = enabled_ ? kernel_.now_ns - since_ns_ : 0;
    since_ns_ = kernel_.now_ns;
    enabled_ns_ += passed;
    const auto running = static_cast<std::uint64_t>(static_cast<double>(passed) * kernel_.running_share);
    running_ns_ += running;
    for (std::size_t event = 0; placed_ && event < events_.size(); ++event)
      values_[event] += kernel_.counts_per_tick(events_[event]) * running / tick_ns;
  }

  FakeKernel& kernel_;
  std::vector<os::PerfEvent> events_;
  bool placed_;
  bool enabled_ = false;
  std::uint64_t since_ns_ = 0;
  std::uint64_t enabled_ns_ = 0;
  std::uint64_t running_ns_ = 0;
  std::vector<std::uint64_t> values_;
};

inline std::unique_ptr<counters::EventGroup> FakeKernel::open(std::span<const os::PerfEvent> events,
                                                              std::error_code& problem) {
  const std::uint32_t type = events[0].type;
  problem.clear();
  if (const auto found = refused.find(type); found != refused.end()) {
    problem = found->second;
    return nullptr;
  }
  const auto limit = counters_of.find(type);
  const bool fits = limit == counters_of.end() || events.size() <= limit->second;
  if (!fits && !accepts_too_many) {
    problem = std::make_error_code(std::errc::invalid_argument);
    return nullptr;
  }
  most_events = std::max(most_events, events.size());
  return std::make_unique<FakeGroup>(*this, events, fits);
}

inline unsigned station_of(std::uint64_t word) {
  const std::uint64_t event = (word & 0xFFu) | (word >> 32 & 0x3Fu) << 8;
  return static_cast<unsigned>(event >> 6);
}

}  // namespace sonde::test
