#pragma once

#include <functional>
#include <vector>

#include "measure/workload.hpp"
#include "measure/smt_interference.hpp"
#include "measure/stopping.hpp"

namespace sonde::measure {

/// No dispatch may be predicted to take longer: watchdogs end some after 640 ms.
inline constexpr device::Nanoseconds longest_dispatch{200e6};

/// Times stepped work in pairs of a short and a long dispatch whose difference is free of the launch;
/// those taken beside SMT interference, or interrupted, are left out where enough others are left. Throws device::Error
/// where a dispatch did not do its work, device::TooShort where short ones often last longer than long ones. Calls `alive`
/// after each.
Repetitions repeat(const SteppedWork& work, const Limits& limits, const std::function<void()>& alive,
                   SmtInterference* smt_interference = nullptr);

}  // namespace sonde::measure
