#pragma once

#include <functional>
#include <vector>

#include "measure/probe.hpp"
#include "measure/smt_interference.hpp"
#include "measure/stopping.hpp"

namespace sonde::measure {

/// No dispatch may be predicted to take longer: watchdogs end some after 640 ms (method.md, pitfall 15).
inline constexpr gpu::Nanoseconds longest_dispatch{200e6};

/// Times one workload by its `run`: first launch discarded, dispatch length calibrated, one lap walked, then pairs of a
/// short and a long dispatch whose difference is free of the launch. Every dispatch is proved to have done its work;
/// throws gpu::Error when one did not, and gpu::TooShort where the short ones often last longer than the long ones.
/// `alive` is called after each. Pairs beside which `neighbours` saw any are left out where enough were without.
Repetitions repeat(const Workload& workload, const Limits& limits, const std::function<void()>& alive,
                   SmtInterference* smt_interference = nullptr);

}  // namespace sonde::measure
