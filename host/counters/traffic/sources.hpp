#pragma once

#include "counters/traffic/event_plan.hpp"

namespace sonde::counters {

/// A source, or a sentence that says what is missing for one and what to do.
struct OpenedSource {
  std::unique_ptr<CounterSource> source = {};
  std::string why_not = {};
};

/// Opens the counters of a plan on the machine below `root`. `open` opens a group; `wait` keeps memory busy for some
/// milliseconds.
OpenedSource open_plan(const EventPlan& plan, const std::filesystem::path& root, const OpenGroup& open,
                       const std::function<void()>& wait);

/// Opens the counters of this machine's memory traffic and starts them. Takes about a second where stations have to be
/// found. A root other than "/" is another machine's, whose counters cannot be opened: `why_not` names its plan.
OpenedSource open_traffic(const std::filesystem::path& root);

/// Counters that every x86 machine has, to find out what watching itself costs.
OpenedSource open_any_machine();

}  // namespace sonde::counters
