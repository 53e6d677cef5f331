#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "counters/traffic/counter_source.hpp"
#include "counters/traffic/event_group.hpp"
#include "counters/traffic/event_plan.hpp"

namespace sonde::counters {

/// A source, or one sentence why there is none: what is missing, and what would give it.
struct OpenedSource {
  std::unique_ptr<CounterSource> source;
  std::string why_not;
};

/// Opens what a plan counts on the machine below `root`. `open` is the kernel's; `wait` lets some milliseconds pass
/// in which memory is busy.
OpenedSource open_plan(const Plan& plan, const std::filesystem::path& root, const OpenGroup& open,
                       const std::function<void()>& wait);

/// What counts memory traffic on this machine; counting from then on. Takes about a second where stations have to
/// be found. Of another root than "/" only what its files say: its counters are another machine's.
OpenedSource open_traffic(const std::filesystem::path& root);

/// Counters that every x86 machine has, for what watching itself costs.
OpenedSource open_any_machine();

}  // namespace sonde::counters
