#include "probes/core_to_core/split_lock_plan.hpp"

#include <algorithm>
#include <map>

namespace sonde::probes {
namespace {

using Series = std::map<std::string, std::string>;

constexpr double seconds_of_operations = 0.01;
constexpr double seconds_of_a_loss = 0.1;
constexpr double times_the_last_cache = 4;
constexpr double least_beyond_bytes = 64 << 20;

/// Working sets that stand for each cache of the core that is slowed, and for memory.
std::vector<double> level_bytes(const cpu::Topology& machine) {
  std::vector<double> sizes;
  double furthest = 0;
  for (const auto& [level, bytes] : machine.caches) {
    if (bytes == 0) continue;
    sizes.push_back(static_cast<double>(bytes) / 2);
    furthest = static_cast<double>(bytes);
  }
  sizes.push_back(std::max(least_beyond_bytes, times_the_last_cache * furthest));
  return sizes;
}

}  // namespace

std::string split_lock_notice(const cpu::SplitLockRule& rule) {
  std::string text =
      "--allow-split-locks: a locked operation on a word that two cache lines share keeps every core of this machine "
      "from memory while it lasts, so all that runs here, and on a virtual machine perhaps its neighbours too, is "
      "slowed "
      "down, by much, for a part of a second.";
  if (rule.slowed.value_or(false)) {
    text +=
        " This kernel has /proc/sys/kernel/split_lock_mitigate at 1: where the processor reports split locks, it puts "
        "who "
        "makes them to sleep for 10 ms at a time, so that the figures are the kernel's as much as the processor's; as "
        "root, echo 0 > /proc/sys/kernel/split_lock_mitigate gives the processor's own.";
  } else if (rule.slowed) {
    text += " This kernel does nothing about them, so that the figures are the processor's own.";
  } else {
    text += " This kernel does not say whether it slows down who makes them.";
  }
  return text;
}

std::optional<std::string> why_no_split_locks(const cpu::SplitLockRule& rule) {
  if (!cpu::has_split_locks) {
    return "this kind of processor has no locked operation across two cache lines: there it faults, or is no single "
           "operation; x86 alone has it";
  }
  if (rule.ended) {
    return "this kernel ends a program that locks across two cache lines (split_lock_detect=fatal on its command "
           "line): "
           "start it with split_lock_detect=warn to measure them";
  }
  return std::nullopt;
}

SplitLockCores split_lock_cores(const cpu::Topology& machine) {
  SplitLockCores cores;
  std::vector<const cpu::Core*> all;
  for (const cpu::Core& core : machine.cores) all.push_back(&core);
  if (all.size() == 1) return {.locking = all};
  // The last, as the first ones serve most interrupts.
  cores.slowed = all.back();
  all.pop_back();
  cores.locking.assign(all.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, all.size())), all.end());
  return cores;
}

std::vector<Point> split_lock_points(const cpu::Topology& machine, const Request& request) {
  if (!request.split_locks) return {};
  const SplitLockCores cores = split_lock_cores(machine);
  std::vector<Point> points;
  const auto add = [&](const Series& series, double seconds, std::map<std::string, double> x) {
    // On one line, and with half of the word in the next.
    for (const double address : {0.0, request.line_bytes - 4.0}) {
      x["address"] = address;
      points.push_back({.series = series, .x = x, .expected_seconds = seconds});
    }
  };
  const double lockers = static_cast<double>(cores.locking.size());
  const Series swapping{{"exchange", "compare-and-swap"}, {"sharing", "private"}};
  const double locking = cores.locking.back()->cpu;
  add(swapping, seconds_of_operations, {{"from", locking}, {"to", locking}, {"cpu_threads", 1}});
  if (cores.slowed == nullptr) return points;
  for (const double bytes : level_bytes(machine)) {
    if (!measure::is_asked_for(request, bytes)) continue;
    const std::map<std::string, double> x{
        {"bytes", bytes}, {"from", locking}, {"to", cores.slowed->cpu}, {"cpu_threads", lockers}};
    add({{"fabric", "loaded"}, {"role", "reader"}}, seconds_of_a_loss, x);
    add({{"fabric", "loaded"}, {"pattern", "read"}}, seconds_of_a_loss, x);
  }
  return points;
}

}  // namespace sonde::probes
