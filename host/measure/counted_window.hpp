#pragma once

#include <cstdint>

#include "measure/stopping.hpp"

namespace sonde::measure {

/// What moves while it lives is counted, where that is wanted, as a window in which so many steps were made.
class CountedWindow {
 public:
  CountedWindow(const Limits& limits, std::uint64_t steps) : meter_(limits.traffic), steps_(steps) {
    if (meter_ != nullptr) meter_->begin();
  }
  CountedWindow(const CountedWindow&) = delete;
  CountedWindow& operator=(const CountedWindow&) = delete;
  ~CountedWindow() {
    if (meter_ != nullptr) meter_->end(steps_);
  }

 private:
  counters::TrafficMeter* meter_;
  std::uint64_t steps_;
};

}  // namespace sonde::measure
