// Question: what does a locked operation across two cache lines take, and what does it take from other cores?
// docs/method/core-to-core.md explains it.

#include "probes/split_locks/split_locks.hpp"

#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "measure/asked_sizes.hpp"
#include "probes/catalog.hpp"

namespace sonde::probes {
namespace {

constexpr double seconds_of_operations = 0.01;
constexpr double seconds_beside_locks = 0.1;
constexpr double times_the_last_cache = 4;
constexpr double least_memory_bytes = 64 << 20;
constexpr double page_bytes = 4096;

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose cores could lock";
  if (device.api != device::Api::cpu) return "this is asked of the CPU itself, not through a driver";
  return std::nullopt;
}

std::vector<Point> next(const device::DeviceInfo&, const Request& request, std::span<const Measurement> known) {
  return measure::new_points(request, known, split_lock_points(cpu::machine(), request));
}

/// Working sets that stand for each cache of the core that is slowed, and for memory.
std::vector<double> level_bytes(const cpu::Topology& machine) {
  std::vector<double> sizes;
  double furthest = 0;
  for (const auto& [level, bytes] : machine.caches) {
    if (bytes == 0) continue;
    sizes.push_back(static_cast<double>(bytes) / 2);
    furthest = static_cast<double>(bytes);
  }
  sizes.push_back(std::max(least_memory_bytes, times_the_last_cache * furthest));
  return sizes;
}

/// The word that a point's cores lock. Throws device::Unsupported where none can be locked.
std::shared_ptr<LockedWord> locked_word_at(const Point& point, const Request& request) {
  if (const auto reason = why_no_split_locks(cpu::split_lock_rule())) throw device::Unsupported(*reason);
  return std::make_shared<LockedWord>(static_cast<std::uint32_t>(point.x.address.value()), request.line_bytes);
}

/// Samples or windows of one visit.
constexpr int values_of_a_visit = 5;

Workload workload_of(std::function<Repetitions(const Limits&, const std::function<void()>&)> repeat) {
  Shape shape;
  if (const auto slowed = cpu::split_lock_rule().slowed) shape["split_lock_mitigate"] = *slowed ? 1 : 0;
  return {.work = SelfTimedWork{.repeat = std::move(repeat)}, .has_cycles = false, .shape = std::move(shape)};
}

Workload slowed_by_locks(const Point& point, const Request& request, SlowedWork work, const Curve& beside_nothing) {
  return workload_of([=, word = locked_word_at(point, request), bytes = point.x.bytes.value(), &beside_nothing](
                         const Limits&, const std::function<void()>& alive) {
    ValuesBesideLocks values =
        values_beside_locks(split_lock_cores(cpu::machine()), *word, work, bytes, request, values_of_a_visit, alive);
    Repetitions repetitions{.values = std::move(values.beside_locks)};
    repetitions.extra.push_back({.curve = &beside_nothing, .values = std::move(values.beside_nothing)});
    return repetitions;
  });
}

/// The measurement of one curve and working set with the word within a line, and that with the word across two.
struct OneAndTwoLines {
  const Measurement* one = nullptr;
  const Measurement* two = nullptr;
};

std::string about_mitigation(const Measurement& one) {
  const auto mitigate = one.state.shape.find("split_lock_mitigate");
  if (mitigate == one.state.shape.end() || mitigate->second == 0) return "";
  return " The kernel's split_lock_mitigate was on, and may have a part in it.";
}

Finding latency_of(const Words& words, const OneAndTwoLines& lines) {
  const double one = median_of(*lines.one);
  const double two = median_of(*lines.two);
  const std::string evidence = fmt::format(
      "A locked operation of one core took {} ns within a line and {} ns across two: {} times as "
      "long.",
      analysis::number_text(one), analysis::number_text(two), analysis::number_text(two / one));
  return {.kind = &split_locks_probe::latency,
          .words = words,
          .value = two,
          .evidence = evidence + about_mitigation(*lines.two)};
}

Finding loss_of(const Words& words, double bytes, const OneAndTwoLines& lines, double beside_nothing) {
  const double one = median_of(*lines.one);
  const double two = median_of(*lines.two);
  const bool loads = words.role.has_value();
  const double times = loads ? two / beside_nothing : beside_nothing / two;
  const std::string evidence = fmt::format(
      "In {} another core {} {} {} while nobody locked, {} while {} locked a word within a line, and {} "
      "while it lay across two: {} times as {}.",
      size_text(bytes), loads ? "waited for a load" : "read", analysis::number_text(beside_nothing), lines.two->unit,
      analysis::number_text(one), lines.two->point.x.cpu_threads == 1.0 ? "a core" : "two cores",
      analysis::number_text(two), analysis::number_text(times), loads ? "long" : "much without locks");
  return {.kind = &split_locks_probe::loss,
          .words = words,
          .value = times,
          .evidence = evidence + about_mitigation(*lines.two),
          .details = {{"bytes", bytes}}};
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  std::map<std::pair<Words, double>, OneAndTwoLines> curves;
  for (const Measurement& one : measurements) {
    if (!one.point.x.address || one.values.empty()) continue;
    OneAndTwoLines& lines = curves[{one.point.words, one.point.x.bytes.value_or(0)}];
    (one.point.x.address == 0.0 ? lines.one : lines.two) = &one;
  }
  for (const auto& [curve, lines] : curves) {
    const auto& [words, bytes] = curve;
    if (lines.one == nullptr || lines.two == nullptr) continue;
    if (words.exchange) conclusion.findings.push_back(latency_of(words, lines));
    if (words.beside != Beside::split_locks) continue;
    const auto idle = curves.find({with(words, {.beside = Beside::nothing}), bytes});
    if (idle == curves.end() || idle->second.two == nullptr) continue;
    conclusion.findings.push_back(loss_of(words, bytes, lines, median_of(*idle->second.two)));
  }
  return conclusion;
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
        "whoever makes them to sleep for 10 ms at a time, so that the figures are the kernel's as much as the "
        "processor's; as root, echo 0 > /proc/sys/kernel/split_lock_mitigate gives the processor's own.";
  } else if (rule.slowed) {
    text += " This kernel does nothing about them, so that the figures are the processor's own.";
  } else {
    text += " This kernel does not say whether it slows down whoever makes them.";
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
           "line): start it with split_lock_detect=warn to measure them";
  }
  return std::nullopt;
}

SplitLockCores split_lock_cores(const cpu::Topology& machine) {
  std::vector<const cpu::Core*> all;
  for (const cpu::Core& core : machine.cores) all.push_back(&core);
  if (all.size() == 1) return {.locking = all};
  // The last is slowed, as the first ones serve most interrupts.
  const auto locking_end = all.end() - 1;
  return {.locking = {locking_end - std::min<std::ptrdiff_t>(2, locking_end - all.begin()), locking_end},
          .slowed = all.back()};
}

std::vector<Point> split_lock_points(const cpu::Topology& machine, const Request& request) {
  const SplitLockCores cores = split_lock_cores(machine);
  std::vector<Point> points;
  const auto add = [&](const Curve& curve, double seconds, Coordinates x) {
    // The word lies within one line, and then with half of it in the next.
    for (const double address : {0.0, request.line_bytes - 4.0}) {
      x.address = address;
      points.push_back(point_on(curve, x, {}, seconds));
      points.back().is_visited_once = true;  // it slows down whatever else runs on this machine
    }
  };
  const double locking = cores.locking.back()->cpu;
  add(split_locks_probe::locked_operation, seconds_of_operations, {.cpu_threads = 1, .from = locking, .to = locking});
  if (cores.slowed == nullptr) return points;
  for (const double bytes : asked_sizes(request, level_bytes(machine), page_bytes)) {
    const Coordinates x{.bytes = bytes,
                        .cpu_threads = static_cast<double>(cores.locking.size()),
                        .from = locking,
                        .to = cores.slowed->cpu};
    add(split_locks_probe::load_beside_locks, seconds_beside_locks, x);
    add(split_locks_probe::read_beside_locks, seconds_beside_locks, x);
  }
  return points;
}

Workload split_locks_probe::prepare_locked_operation(device::Device&, const Point& point, const Request& request) {
  return workload_of([word = locked_word_at(point, request)](const Limits&, const std::function<void()>&) {
    const SplitLockCores cores = split_lock_cores(cpu::machine());
    return Repetitions{.values = locked_operations(cores.locking.back()->cpu, *word, values_of_a_visit)};
  });
}

Workload split_locks_probe::prepare_load(device::Device&, const Point& point, const Request& request) {
  return slowed_by_locks(point, request, SlowedWork::load, load_beside_nothing);
}

Workload split_locks_probe::prepare_read(device::Device&, const Point& point, const Request& request) {
  return slowed_by_locks(point, request, SlowedWork::read, read_beside_nothing);
}

const Probe split_locks{
    .name = "core-to-core",
    .id = "split-locks",
    .question = "What does a locked operation across two cache lines take, and what does it take from other cores?",
    .target = Target::host_cpu,
    .curves = split_locks_probe::curves,
    .finding_kinds = split_locks_probe::finding_kinds,
    .needs_option = "allow-split-locks",
    .obstacle = obstacle,
    .next = next,
    .conclude = conclude};

}  // namespace sonde::probes
