#include "counters/traffic/sources.hpp"

#include <sstream>

#include "counters/state/sysfs.hpp"
#include "os/file.hpp"

namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

// Sources of the numbers: Linux, tools/perf/pmu-events/arch/x86/{amdzen2,amdzen4,amdzen5}/data-fabric.json and
// memory-controller.json, arch/x86/{meteorlake,arrowlake,lunarlake}/uncore-memory.json, and
// arch/x86/events/intel/uncore_snb.c.

/// A data fabric's event is a station's number above six bits that name the event.
constexpr unsigned station_shift = 6;
constexpr unsigned coherent_stations = 16;
constexpr unsigned first_cpu_station = 0x10;
constexpr unsigned cpu_stations = 8;

/// Data beats of both sockets, by the two highest bits of the mask, read (lowest bit 0) or written (1).
constexpr std::array amd_fabric{
    PlannedEvent{Role::fabric_read, 64, "event", 0x1F, "umask", 0xFFE, 0, coherent_stations},
    PlannedEvent{Role::fabric_write, 64, "event", 0x1F, "umask", 0xFFF, 0, coherent_stations},
    // The CPU's two interfaces read 32 bytes a beat and write 64.
    PlannedEvent{Role::cpu_read, 32, "event", 0x1E, "umask", 0x7FE, first_cpu_station, cpu_stations},
    PlannedEvent{Role::cpu_read, 32, "event", 0x1F, "umask", 0x7FE, first_cpu_station, cpu_stations},
    PlannedEvent{Role::cpu_write, 64, "event", 0x1E, "umask", 0x7FF, first_cpu_station, cpu_stations},
    PlannedEvent{Role::cpu_write, 64, "event", 0x1F, "umask", 0x7FF, first_cpu_station, cpu_stations},
};
constexpr std::array amd_memory{
    PlannedEvent{Role::memory_read, 64, "event", 0x0A, "rdwrmask", 1},
    PlannedEvent{Role::memory_write, 64, "event", 0x0A, "rdwrmask", 2},
    PlannedEvent{Role::memory_clock, 1, "event", 0x00},
};
/// These fields select all cores and slices of an L3, wherever the data came from. One count of latency is ten
/// nanoseconds of a sampled request.
constexpr std::array all_of_an_l3{
    Field{"enallcores", 1},
    Field{"enallslices", 1},
    Field{"sliceid", 3},
    Field{"threadmask", 3},
};
constexpr std::array amd_l3{
    PlannedEvent{Role::l3_latency_ns, 10, "event", 0xAC, "umask", 0x3F, 0, 1, all_of_an_l3},
    PlannedEvent{Role::l3_samples, 1, "event", 0xAD, "umask", 0x3F, 0, 1, all_of_an_l3},
};
constexpr std::array amd_pmus{
    PlannedPmu{"amd_df", amd_fabric, true},
    PlannedPmu{"amd_umc_", amd_memory, false,
               "there is no amd_umc_0 here: Linux shows the memory controllers of Zen 4 and later since 6.7"},
    PlannedPmu{
        "amd_l3", amd_l3, false,
        "there is no amd_l3 here, so the CPU's latency behind L3 is not known: Linux's module amd-uncore found no "
        "counters of L3"},
};

constexpr std::array amd_old_fabric{
    PlannedEvent{Role::uncalibrated, 1, "event", 0x07, "umask", 0x38, 0, 8},
};
constexpr std::array amd_old_pmus{PlannedPmu{"amd_df", amd_old_fabric, true}};

constexpr std::array intel_old_memory{
    PlannedEvent{Role::memory_read, 64, "event", 0x01},  PlannedEvent{Role::memory_write, 64, "event", 0x02},
    PlannedEvent{Role::gpu_requests, 64, "event", 0x03}, PlannedEvent{Role::cpu_requests, 64, "event", 0x04},
    PlannedEvent{Role::io_requests, 64, "event", 0x05},
};
constexpr std::array intel_old_pmus{PlannedPmu{"uncore_imc", intel_old_memory}};

constexpr std::array intel_free_running_memory{
    PlannedEvent{Role::memory_read, 64, "event", 0xFF, "umask", 0x20},
    PlannedEvent{Role::memory_write, 64, "event", 0xFF, "umask", 0x30},
};
constexpr std::array intel_free_running_pmus{PlannedPmu{"uncore_imc_free_running_", intel_free_running_memory}};

/// Each count is 32 bytes. The free-running counters of these machines count requests, which may be merged.
constexpr std::array intel_data_memory{
    PlannedEvent{Role::memory_read, 32, "event", 0x3A},
    PlannedEvent{Role::memory_write, 32, "event", 0x3B},
};
constexpr std::array intel_data_pmus{PlannedPmu{"uncore_imc_", intel_data_memory}};

constexpr std::array time_stamp{PlannedEvent{Role::other, 1, "event", 0x00}};
/// Page faults and context switches, which the kernel counts itself.
constexpr std::array kernels_own{
    PlannedEvent{Role::other, 1, "", 2},
    PlannedEvent{Role::other, 1, "", 3},
};
constexpr std::array any_machine_pmus{PlannedPmu{"msr", time_stamp}, PlannedPmu{"software", kernels_own}};

constexpr WhyNot no_intel{
    .hit_rate = "Intel has no public counter of what enters the fabric or hits a memory-side cache",
    .cpu_latency = "no counter of Intel's that samples it for the whole machine is known here"};

/// Models of Intel's family 6 in /proc/cpuinfo. Others, servers among them, are not known here.
constexpr std::array free_running_models{140, 141, 167, 151, 154, 190, 183, 186, 191};
constexpr std::array data_models{170, 172, 181, 189, 197, 198, 204};

/// The text of the first processor, and more.
std::string start_of_cpuinfo(const fs::path& root) { return os::read_bytes(root / "proc/cpuinfo", 8192).value_or(""); }

/// "model : 170" of the first processor.
std::optional<int> processor_model(const fs::path& root) {
  std::istringstream text(start_of_cpuinfo(root));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("model") || line.starts_with("model name")) continue;
    const auto number = number_in(line.substr(line.find(':') + 1));
    if (number) return static_cast<int>(*number);
  }
  return std::nullopt;
}

bool is_among(std::span<const int> models, std::optional<int> model) {
  return model && std::ranges::find(models, *model) != models.end();
}

}  // namespace

const EventPlan amd_plan{.name = "amd", .pmus = amd_pmus};
const EventPlan amd_before_zen4_plan{
    .name = "amd-before-zen4",
    .pmus = amd_old_pmus,
    .why_not = {.hit_rate = "the fabric's counters of Zen 1 to 3 are known to count several times too many or too few, "
                            "and there are none of the memory controllers",
                .cpu_latency = "the L3 of Zen 1 to 3 tells it in cycles and not in nanoseconds"}};
const EventPlan intel_before_tiger_lake_plan{.name = "intel-imc", .pmus = intel_old_pmus, .why_not = no_intel};
const EventPlan intel_free_running_plan{
    .name = "intel-imc-free-running", .pmus = intel_free_running_pmus, .why_not = no_intel};
const EventPlan intel_data_plan{.name = "intel-imc-data", .pmus = intel_data_pmus, .why_not = no_intel};
const EventPlan any_machine_plan{
    .name = "msr", .pmus = any_machine_pmus, .why_not = {.hit_rate = "this source counts nothing of memory"}};

const EventPlan* plan_of(const fs::path& root, std::string& why_not) {
  if (const auto fabric = find_pmu(root, "amd_df")) {
    // Since Zen 4 the mask has 12 bits; before, 8.
    constexpr unsigned bits_of_zen4 = 12;
    return bits_of(*fabric, "umask") >= bits_of_zen4 ? &amd_plan : &amd_before_zen4_plan;
  }
  if (find_pmu(root, "uncore_imc")) return &intel_before_tiger_lake_plan;
  const std::optional<int> model = processor_model(root);
  const bool has_data = !find_pmus(root, "uncore_imc_").empty();
  if (is_among(data_models, model) && has_data) return &intel_data_plan;
  const bool has_free_running = !find_pmus(root, "uncore_imc_free_running_").empty();
  if (is_among(free_running_models, model) && has_free_running) return &intel_free_running_plan;
  if (has_data || has_free_running) {
    why_not = "what this processor's memory controllers count is not known here: model " +
              (model ? std::to_string(*model) : std::string("unknown"));
    return nullptr;
  }
  why_not =
      "no counters of memory traffic here: Linux shows neither amd_df (AMD; for Zen 4 and later since Linux "
      "6.0) nor uncore_imc (Intel) in /sys/bus/event_source/devices";
  if (start_of_cpuinfo(root).find(" hypervisor") != std::string::npos) why_not += ", as in most virtual machines";
  return nullptr;
}

std::vector<std::uint64_t> configurations_of(const Pmu& pmu, const PlannedEvent& event, std::string& problem) {
  std::vector<std::uint64_t> words;
  if (event.event_field.empty()) return {event.event};
  for (unsigned station = event.first_station; station < event.first_station + event.stations; ++station) {
    std::vector<Field> fields{{event.event_field, std::uint64_t{station} << station_shift | event.event}};
    if (!event.second_field.empty()) fields.push_back({event.second_field, event.second});
    fields.insert(fields.end(), event.more.begin(), event.more.end());
    const auto word = encode(pmu, fields, problem);
    if (!word) return {};
    words.push_back(*word);
  }
  return words;
}

}  // namespace sonde::counters
