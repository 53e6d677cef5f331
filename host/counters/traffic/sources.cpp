#include "counters/traffic/sources.hpp"

#include <fmt/format.h>

#include <bit>
#include <thread>

#include "counters/state/sysfs.hpp"
#include "os/machine.hpp"
#include "os/pages.hpp"
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

/// An event to be counted, and the meaning of its count.
struct WantedEvent {
  os::PerfEvent event;
  Role role = Role::other;
  unsigned count_bytes = 0;
};

/// Events that have to count at the same time: a station's reads and writes.
using Bundle = std::vector<WantedEvent>;

/// Counts by configuration word.
using Counts = std::map<std::uint64_t, std::uint64_t>;

struct FittedGroup {
  std::vector<WantedEvent> events;
  std::unique_ptr<EventGroup> group;  ///< switched off
};

struct FittedGroups {
  std::vector<FittedGroup> groups;
  std::error_code problem;  ///< why there are none
};

/// Opens bundles in groups of so many events at most; none where one of them cannot be opened.
std::vector<FittedGroup> open_packs(const std::vector<Bundle>& bundles, std::size_t most_events, int cpu,
                                    const OpenGroup& open, std::error_code& problem) {
  std::vector<FittedGroup> groups;
  for (const Bundle& bundle : bundles) {
    if (groups.empty() || groups.back().events.size() + bundle.size() > most_events) groups.emplace_back();
    groups.back().events.insert(groups.back().events.end(), bundle.begin(), bundle.end());
  }
  for (FittedGroup& one : groups) {
    std::vector<os::PerfEvent> plain;
    std::ranges::transform(one.events, std::back_inserter(plain), &WantedEvent::event);
    one.group = open(plain, cpu, problem);
    if (!one.group) return {};
  }
  return groups;
}

/// Counts each event during `wait`, one group after the other; empty where a group does not count.
Counts count_each(std::vector<FittedGroup>& groups, const std::function<void()>& wait) {
  Counts counts;
  for (FittedGroup& one : groups) {
    std::vector<std::uint64_t> before(one.events.size());
    std::vector<std::uint64_t> after(one.events.size());
    os::PerfTimes first;
    os::PerfTimes last;
    const bool began = !one.group->enable() && !one.group->read(before, first);
    wait();
    const bool ended = !one.group->read(after, last) && !one.group->disable();
    const std::uint64_t running = last.running_ns - first.running_ns;
    if (!began || !ended || running == 0 || running != last.enabled_ns - first.enabled_ns) return {};
    for (std::size_t place = 0; place < after.size(); ++place)
      counts[one.events[place].event.config] = after[place] - before[place];
  }
  return counts;
}

/// Opens bundles of one PMU in as few groups as it has counters for. No file states their number: where the kernel
/// refuses a group, or takes it and never counts, groups of half as many events are tried.
FittedGroups fit(const std::vector<Bundle>& bundles, int cpu, const OpenGroup& open,
                 const std::function<void()>& wait) {
  std::size_t events = 0;
  std::size_t largest_bundle = 0;
  for (const Bundle& bundle : bundles) {
    events += bundle.size();
    largest_bundle = std::max(largest_bundle, bundle.size());
  }
  FittedGroups fitted;
  // The number of a PMU's counters is a power of two.
  for (std::size_t most = std::bit_ceil(events); most >= largest_bundle && most > 0; most /= 2) {
    fitted.groups = open_packs(bundles, most, cpu, open, fitted.problem);
    const bool too_many = fitted.problem == std::errc::invalid_argument;
    if (fitted.groups.empty() && !too_many) return fitted;
    if (!fitted.groups.empty() && !count_each(fitted.groups, wait).empty()) return fitted;
    if (!fitted.groups.empty()) fitted.problem = std::make_error_code(std::errc::device_or_resource_busy);
    fitted.groups.clear();
  }
  return fitted;
}

/// The events of a PMU, bundled by station; in a single bundle where it has none.
std::vector<Bundle> bundles_of(const Pmu& pmu, const PlannedPmu& plan, std::string& problem) {
  // A bundle's key is the station's number and the event's own bits: reads and writes of one interface.
  std::map<std::pair<unsigned, std::uint64_t>, Bundle> by_station;
  for (const PlannedEvent& event : plan.events) {
    const auto words = configurations_of(pmu, event, problem);
    if (words.empty()) return {};
    for (unsigned place = 0; place < words.size(); ++place) {
      by_station[{event.first_station + place, plan.has_stations ? event.event : 0}].push_back(
          {.event = {.type = pmu.type, .config = words[place]}, .role = event.role, .count_bytes = event.count_bytes});
    }
  }
  std::vector<Bundle> bundles;
  for (auto& [key, bundle] : by_station) bundles.push_back(std::move(bundle));
  return bundles;
}

bool is_of_the_cpu(Role role) { return role == Role::cpu_read || role == Role::cpu_write; }

/// The bundles whose stations exist, judged by what was counted while memory was busy: a station of the fabric counts
/// over a hundredth of what the busiest does, a CPU's anything at all, as only some cores may have been busy.
std::vector<Bundle> existing(std::vector<Bundle> bundles, const Counts& counts) {
  std::uint64_t most = 0;
  for (const Bundle& bundle : bundles) {
    for (const WantedEvent& event : bundle) {
      if (!is_of_the_cpu(event.role)) most = std::max(most, counts.at(event.event.config));
    }
  }
  std::erase_if(bundles, [&](const Bundle& bundle) {
    return std::ranges::none_of(bundle, [&](const WantedEvent& event) {
      const std::uint64_t count = counts.at(event.event.config);
      return is_of_the_cpu(event.role) ? count > 0 : count > most / 100;
    });
  });
  return bundles;
}

/// The groups of one PMU, without stations that do not exist.
FittedGroups fit_existing(const Pmu& pmu, const PlannedPmu& planned, int cpu, const OpenGroup& open,
                          const std::function<void()>& wait, std::string& why_not) {
  const auto bundles = bundles_of(pmu, planned, why_not);
  if (bundles.empty()) return {};
  FittedGroups fitted = fit(bundles, cpu, open, wait);
  if (fitted.groups.empty() || !planned.has_stations) return fitted;
  const auto counts = count_each(fitted.groups, wait);
  const auto kept = counts.empty() ? bundles : existing(bundles, counts);
  if (kept.empty()) {
    why_not = pmu.name + " counts nothing at any station while memory is busy";
    return {};
  }
  if (kept.size() == bundles.size()) return fitted;
  fitted.groups.clear();  // they have to free their counters first
  return fit(kept, cpu, open, wait);
}

void add(FittedGroups fitted, Layout& layout, std::vector<std::unique_ptr<EventGroup>>& groups) {
  const bool is_rotated = fitted.groups.size() > 1;
  if (is_rotated) layout.rotations = std::max(layout.rotations, fitted.groups.size());
  for (FittedGroup& one : fitted.groups) {
    for (const WantedEvent& event : one.events)
      layout.counters.push_back({.role = event.role, .count_bytes = event.count_bytes, .group = layout.groups});
    groups.push_back(std::move(one.group));
    layout.is_rotated.push_back(is_rotated);
    ++layout.groups;
  }
}

/// Keeps memory busy from this CPU for some milliseconds at each call, with more data than any cache holds.
std::function<void()> memory_load() {
  constexpr std::uint64_t more_than_any_cache = std::uint64_t{256} << 20;
  constexpr std::int64_t busy_ns = 20'000'000;
  constexpr std::uint64_t line_bytes = 64;
  constexpr int lines_between_looks = 4096;
  return [pages = std::make_shared<os::Pages>(more_than_any_cache), at = std::uint64_t{0}]() mutable {
    const std::int64_t end = os::steady_ns() + busy_ns;
    while (os::steady_ns() < end) {
      // The lines are written, as pages that were never written are all one page.
      for (int line = 0; line < lines_between_looks; ++line) {
        pages->data()[at] ^= std::byte{0xFF};
        at = (at + line_bytes) % more_than_any_cache;
      }
    }
  };
}

}  // namespace

OpenedSource open_plan(const EventPlan& plan, const fs::path& root, const OpenGroup& open,
                       const std::function<void()>& wait) {
  Layout layout{.name = std::string(plan.name), .why_not = plan.why_not};
  std::vector<std::unique_ptr<EventGroup>> groups;
  std::string why_not;
  for (const PlannedPmu& planned : plan.pmus) {
    const auto pmus = find_pmus(root, std::string(planned.name));
    if (pmus.empty() && !planned.without.empty()) layout.missing.emplace_back(planned.without);
    for (const Pmu& pmu : pmus) {
      for (const int cpu : pmu.cpus) {
        FittedGroups fitted = fit_existing(pmu, planned, cpu, open, wait, why_not);
        if (fitted.groups.empty()) {
          if (fitted.problem) why_not = sentence_of(fitted.problem, pmu.name, root);
          // A reason is told once, though it may apply to each part of the machine.
          if (std::ranges::find(layout.missing, why_not) == layout.missing.end()) layout.missing.push_back(why_not);
          continue;
        }
        if (groups.empty()) layout.cpu = cpu;
        add(std::move(fitted), layout, groups);
      }
    }
  }
  if (groups.empty()) {
    if (why_not.empty()) why_not = layout.missing.empty() ? "nothing to count" : layout.missing.front();
    return {.why_not = why_not};
  }
  return {.source = std::make_unique<GroupSource>(std::move(layout), std::move(groups))};
}

OpenedSource open_traffic(const fs::path& root) {
  if (!os::has_proc_and_sys && root == "/") return {.why_not = no_counters};
  std::string why_not;
  const EventPlan* const plan = plan_of(root, why_not);
  if (plan == nullptr) return {.why_not = why_not};
  if (root != "/") {
    return {.why_not =
                fmt::format("the tree below {} has the counters of plan '{}', but they are another machine's and "
                            "cannot be opened here",
                            root.string(), plan->name)};
  }
  return open_plan(*plan, root, os::open_event_group, memory_load());
}

OpenedSource open_any_machine() {
  if (!os::has_proc_and_sys) return {.why_not = no_counters};
  return open_plan(any_machine_plan, "/", os::open_event_group,
                   [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

}  // namespace sonde::counters
