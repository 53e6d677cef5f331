#include "counters/traffic/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "counters/state/sysfs.hpp"
#include "counters/traffic/event_group.hpp"
#include "counters/traffic/fit.hpp"
#include "counters/traffic/pmu.hpp"
#include "os/machine.hpp"
#include "os/this_process.hpp"

namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

constexpr const char* no_counters =
    "no counters of memory traffic here: this system, unlike Linux, lets no program read those of fabric and memory "
    "controllers";

std::string first_line(const fs::path& file) {
  const std::string text = read_text(file).value_or("unknown");
  return text.substr(0, text.find('\n'));
}

/// The reason why a PMU cannot be opened, and what to do.
std::string sentence_of(const std::error_code& problem, const std::string& pmu, const fs::path& root) {
  if (problem == std::errc::permission_denied || problem == std::errc::operation_not_permitted) {
    return fmt::format(
        "{} may not be read: kernel.perf_event_paranoid is {}, and to count for a whole machine it has to be 0 or "
        "less, "
        "or this program to have CAP_PERFMON: sudo sysctl kernel.perf_event_paranoid=0, or sudo setcap cap_perfmon+ep "
        "{}",
        pmu, first_line(root / "proc/sys/kernel/perf_event_paranoid"), os::program_file().string());
  }
  if (problem == std::errc::no_such_file_or_directory || problem == std::errc::no_such_device)
    return pmu +
           " is listed, but the kernel has no such counters: the files are another machine's, or its driver is gone";
  if (problem == std::errc::invalid_argument)
    return pmu + " refuses what would be counted, even a single station: this kernel or processor has other counters";
  if (problem == std::errc::device_or_resource_busy)
    return pmu +
           " does not count: something else holds its counters, such as the NMI watchdog or another profiler; end it";
  if (problem == std::errc::too_many_files_open)
    return pmu + " needs more open files than this process may have: raise ulimit -n";
  return pmu + " cannot be opened: " + problem.message();
}

/// The groups of one PMU, without stations that do not exist.
FittedGroups fit_existing(const Pmu& pmu, const PlannedPmu& planned, int cpu, const OpenGroup& open,
                          const std::function<void()>& wait, std::string& why_not) {
  const auto bundles = bundles_of(pmu, planned, why_not);
  if (bundles.empty()) return {};
  FittedGroups fitted = fit(bundles, cpu, open, wait);
  if (fitted.groups.empty() || !planned.has_stations) return fitted;
  const auto counts = count_each(fitted.groups, wait);
  const auto kept = counts.empty() ? bundles : existing(bundles, fitted.groups, counts);
  if (kept.empty()) {
    why_not = pmu.name + " counts nothing at any station while memory is busy";
    return {};
  }
  if (kept.size() == bundles.size()) return fitted;
  fitted.groups.clear();  // they have to free their counters first
  return fit(kept, cpu, open, wait);
}

/// The layout and groups of a source while they are put together.
struct SourceParts {
  Layout layout;
  std::vector<PlacedGroup> groups;

  /// Notes a text once, though it may apply to each part of the machine.
  void miss(const std::string& what) {
    if (std::ranges::find(layout.missing, what) == layout.missing.end()) layout.missing.push_back(what);
  }

  void add(FittedGroups fitted) {
    const bool is_rotated = fitted.groups.size() > 1;
    if (is_rotated) layout.rotations = std::max(layout.rotations, fitted.groups.size());
    for (FittedGroup& one : fitted.groups) {
      groups.push_back({.group = std::move(one.group),
                        .first_value = layout.counters.size(),
                        .values = one.events.size(),
                        .is_rotated = is_rotated});
      for (const WantedEvent& event : one.events)
        layout.counters.push_back({.role = event.role, .count_bytes = event.count_bytes, .group = layout.groups});
      layout.is_rotated.push_back(is_rotated);
      ++layout.groups;
    }
  }
};

}  // namespace

OpenedSource open_plan(const EventPlan& plan, const fs::path& root, const OpenGroup& open,
                       const std::function<void()>& wait) {
  SourceParts parts;
  parts.layout.name = plan.name;
  parts.layout.no_hit_rate = plan.no_hit_rate;
  parts.layout.no_cpu_latency = plan.no_cpu_latency;
  std::string why_not;
  for (const PlannedPmu& planned : plan.pmus) {
    const auto pmus = find_pmus(root, std::string(planned.name));
    if (pmus.empty() && !planned.without.empty()) parts.layout.missing.emplace_back(planned.without);
    for (const Pmu& pmu : pmus) {
      for (const int cpu : pmu.cpus) {
        FittedGroups fitted = fit_existing(pmu, planned, cpu, open, wait, why_not);
        if (fitted.groups.empty()) {
          if (fitted.problem) why_not = sentence_of(fitted.problem, pmu.name, root);
          parts.miss(why_not);
          continue;
        }
        if (parts.groups.empty()) parts.layout.cpu = cpu;
        parts.add(std::move(fitted));
      }
    }
  }
  if (parts.groups.empty()) {
    if (why_not.empty()) why_not = parts.layout.missing.empty() ? "nothing to count" : parts.layout.missing.front();
    return {.source = nullptr, .why_not = why_not};
  }
  return {.source = std::make_unique<GroupSource>(std::move(parts.layout), std::move(parts.groups)), .why_not = ""};
}

OpenedSource open_traffic(const fs::path& root) {
  if (!os::has_proc_and_sys && root == "/") return {.source = nullptr, .why_not = no_counters};
  std::string why_not;
  const EventPlan* const plan = plan_of(root, why_not);
  if (plan == nullptr) return {.source = nullptr, .why_not = why_not};
  if (root != "/") {
    return {
        .source = nullptr,
        .why_not = fmt::format("the tree below {} has the counters of plan '{}', but they are another machine's and "
                               "cannot be opened here",
                               root.string(), plan->name)};
  }
  MemoryLoad load;
  return open_plan(*plan, root, os::open_event_group, [&load] { load.run(); });
}

OpenedSource open_any_machine() {
  if (!os::has_proc_and_sys) return {.source = nullptr, .why_not = no_counters};
  return open_plan(any_machine_plan, "/", os::open_event_group,
                   [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

}  // namespace sonde::counters
