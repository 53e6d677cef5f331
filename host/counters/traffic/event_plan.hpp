#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "counters/traffic/pmu.hpp"

// The events that are counted on each kind of machine, as data.
namespace sonde::counters {

/// An event, or one for each of several stations, whose number is in the bits above the event's own.
struct PlannedEvent {
  Role role = Role::other;
  unsigned count_bytes = 0;  ///< moved by one count; for other quantities the factor of one count, such as 1
  std::string_view event_field = "event";  ///< empty for a PMU without fields, whose word is the event
  std::uint64_t event = 0;
  std::string_view second_field;  ///< empty where there is none
  std::uint64_t second = 0;
  unsigned first_station = 0;
  unsigned stations = 1;
  std::span<const Field> more = {};  ///< further fields
};

/// The events of all PMUs of one name, numbered or not.
struct PlannedPmu {
  std::string_view name;
  std::span<const PlannedEvent> events;
  bool has_stations = false;      ///< only traffic shows which of its stations exist
  std::string_view without = {};  ///< what is missing without such a PMU, and since when Linux has it; empty if nothing
};

struct EventPlan {
  std::string_view name;
  std::span<const PlannedPmu> pmus;
  std::string_view no_hit_rate;     ///< why the counters give no hit rate; empty where they do
  std::string_view no_cpu_latency;  ///< why they give no latency behind the CPU's L3; empty where they do
};

/// The plan for the machine below `root`; null where there is none, and `why_not` is a sentence.
const EventPlan* plan_of(const std::filesystem::path& root, std::string& why_not);

// AMD's data fabric and memory controllers since Zen 4, and its fabric before; Intel's memory controllers up to Ice
// Lake, from Tiger Lake to Raptor Lake, and since Meteor Lake.
extern const EventPlan amd_plan;
extern const EventPlan amd_before_zen4_plan;
extern const EventPlan intel_before_tiger_lake_plan;
extern const EventPlan intel_free_running_plan;
extern const EventPlan intel_data_plan;

/// The counters that every x86 machine with Linux has. They count nothing of memory, but show what watching costs.
extern const EventPlan any_machine_plan;

/// The configuration word of each of an event's stations; none where the PMU has no room for it, and `problem` says
/// why.
std::vector<std::uint64_t> configurations_of(const Pmu& pmu, const PlannedEvent& event, std::string& problem);

}  // namespace sonde::counters
