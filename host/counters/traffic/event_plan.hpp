#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counters/traffic/encode.hpp"
#include "counters/traffic/pmu.hpp"
#include "counters/traffic/role.hpp"

// What is counted on which machine, as data.
namespace sonde::counters {

/// An event, or a row of them: one for each station, whose number stands above the event's own bits.
struct PlannedEvent {
  Role role = Role::other;
  unsigned count_bytes = 0;                ///< moved by one count; of other counts their own unit's number, such as 1
  std::string_view event_field = "event";  ///< empty for a PMU without fields: the event is the whole word
  std::uint64_t event = 0;
  std::string_view second_field;  ///< empty where there is none
  std::uint64_t second = 0;
  unsigned first_station = 0;
  unsigned stations = 1;
  std::span<const Field> more = {};  ///< further fields
};

/// The events of PMUs of one name, numbered or not.
struct PlannedPmu {
  std::string_view name;
  std::span<const PlannedEvent> events;
  bool has_stations = false;  ///< which of its stations exist, only traffic shows
  std::string_view without =
      {};  ///< what is missing where there is none, and since when Linux has it; empty if nothing
};

struct Plan {
  std::string_view name;
  std::span<const PlannedPmu> pmus;
  std::string_view no_hit_rate;     ///< why its numbers give none; empty where they do
  std::string_view no_cpu_latency;  ///< the same of the CPU's latency behind L3
};

/// The plan for the machine below `root`, or null and one sentence why there is none.
const Plan* plan_of(const std::filesystem::path& root, std::string& why_not);

/// AMD's data fabric and memory controllers since Zen 4; the fabric before; Intel's memory controllers to Ice Lake,
/// from Tiger Lake to Raptor Lake, and since Meteor Lake.
extern const Plan amd_plan;
extern const Plan amd_before_zen4_plan;
extern const Plan intel_before_tiger_lake_plan;
extern const Plan intel_free_running_plan;
extern const Plan intel_data_plan;

/// The counters that every x86 machine with Linux has: nothing of memory, but what watching costs can be seen on them.
extern const Plan any_machine_plan;

/// The configuration word of each of an event's stations; nothing, and why in `problem`, where the PMU has no place for
/// it.
std::vector<std::uint64_t> words_of(const Pmu& pmu, const PlannedEvent& event, std::string& problem);

}  // namespace sonde::counters
