#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "counters/traffic/counter_source.hpp"

// The kernel's counters as its files show them, the events that are counted on each kind of machine, as data, and the
// sources of these.
namespace sonde::counters {

/// Bits of an event's configuration word, both ends included.
struct BitRange {
  unsigned first = 0;
  unsigned last = 0;
  bool operator==(const BitRange&) const = default;
};

/// The places of a field's bits, its lowest first.
using Format = std::vector<BitRange>;

/// Parses "config:0-7,32-37", the content of a format file; nothing for another word than `config` or another syntax.
std::optional<Format> parse_format(std::string_view text);

/// Parses "0-2,48", the kernel's way to list CPUs; nothing for another syntax.
std::optional<std::vector<int>> parse_cpus(std::string_view text);

/// A performance monitoring unit, as the kernel shows it.
struct Pmu {
  std::string name;
  std::uint32_t type = 0;
  std::vector<int> cpus;  ///< one for each part of the machine that the PMU counts separately
  std::map<std::string, Format, std::less<>> formats;
};

/// The PMU of this name; nothing where there is none or the kernel gives it no number.
std::optional<Pmu> find_pmu(const std::filesystem::path& root, const std::string& name);

/// The PMU of this name and those of this name and a number ("amd_umc_" finds amd_umc_0), by number.
std::vector<Pmu> find_pmus(const std::filesystem::path& root, const std::string& name);

/// A field of an event's configuration word, and its value.
struct Field {
  std::string_view name;
  std::uint64_t value = 0;
};

/// The configuration word of an event, with each field's bits in their places. Nothing where the PMU has no such field
/// or a value needs more bits than its field has; `problem` then says so.
std::optional<std::uint64_t> encode(const Pmu& pmu, std::span<const Field> fields, std::string& problem);

/// The width of a PMU's field in bits; 0 where it has no field of that name.
unsigned bits_of(const Pmu& pmu, std::string_view field);

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
  WhyNot why_not = {};
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
