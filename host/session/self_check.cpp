#include "session/self_check.hpp"

#include "cpu/movers.hpp"
#include "cpu/pinned.hpp"
#include "cpu/topology.hpp"
#include "os/this_process.hpp"
#include "os/time.hpp"
#include "session/selection.hpp"

namespace sonde::session {
namespace {

using counters::Load;
using counters::LoadKind;
using counters::Repetition;
using counters::Traffic;

/// A load has far more memory than all of the last caches together, and than any memory-side cache.
constexpr std::uint64_t least_load_bytes = std::uint64_t{512} << 20;
constexpr std::uint64_t times_the_caches = 8;
/// The size that the first cache is taken to have where the system states none.
constexpr std::uint64_t first_cache_bytes = std::uint64_t{32} << 10;

/// Half of a core's own cache: of the second level, or of the first where it has no other.
std::uint64_t bytes_in_cache(const cpu::Topology& topology) {
  for (const int level : {2, 1}) {
    const auto cache = topology.caches.find(level);
    if (cache != topology.caches.end() && cache->second > 0) return cache->second / 2;
  }
  return first_cache_bytes / 2;
}

cpu::MoveKind access_of(LoadKind kind) {
  switch (kind) {
    case LoadKind::write: return cpu::MoveKind::write;
    case LoadKind::non_temporal_write: return cpu::MoveKind::non_temporal_write;
    default: return cpu::MoveKind::read;
  }
}

/// Each kind of load by one core, then by all of them.
std::vector<Load> loads_for(unsigned cores) {
  std::vector<Load> loads{{.kind = LoadKind::idle}, {.kind = LoadKind::read_in_cache, .cpu_threads = 1}};
  for (const LoadKind kind : {LoadKind::read, LoadKind::write, LoadKind::non_temporal_write}) {
    if (!cpu::has(access_of(kind))) continue;
    loads.push_back({.kind = kind, .cpu_threads = 1});
    if (cores > 1) loads.push_back({.kind = kind, .cpu_threads = cores});
  }
  return loads;
}

/// A load runs for this share of a repetition before it is counted, until caches are full of its lines.
constexpr double settling_share = 0.5;

counters::PerRole<counters::Counting> counting_of(const counters::Layout& layout) {
  counters::PerRole<counters::Counting> counting;
  for (const counters::Counter& one : layout.counters) {
    counting[one.role].count_bytes = one.count_bytes;
    ++counting[one.role].counters;
  }
  return counting;
}

/// Whether enough moves that rotations of the counters can be held against each other.
bool moves_memory(LoadKind kind) { return kind != LoadKind::idle && kind != LoadKind::read_in_cache; }

/// Bytes that a load has moved by the middle of a reading, which is the moment that the counters' own stamps mean.
double moved_around(counters::CounterSource& source, counters::CounterSnapshot& reading, const RunningLoad& load) {
  const double before = load();
  source.read(reading);
  source.rotate_group();
  return (before + load()) / 2;
}

Repetition repetition_of(counters::CounterSource& source, const SelfCheckPlan& plan, const LoadMaker& maker,
                         const counters::Load& load) {
  const auto settling = std::chrono::duration<double>(settling_share * plan.repetition_seconds);
  const RunningLoad running = maker.start(load);
  // A busy system may take a while to give the threads their cores.
  while (load.kind != LoadKind::idle && !(running() > 0) && !os::interrupted()) maker.wait(plan.interval);
  maker.wait(std::chrono::duration_cast<std::chrono::nanoseconds>(settling));
  counters::Intervals intervals(source.layout());
  counters::CounterSnapshot reading = source.layout().empty_snapshot();
  double moved_at_begin = 0;
  double moved_at_end = 0;
  std::vector<Traffic> pieces;
  double seconds = 0;
  for (bool is_first = true; seconds < plan.repetition_seconds && !os::interrupted(); is_first = false) {
    if (!is_first) maker.wait(plan.interval);
    const double moved = moved_around(source, reading, running);
    if (is_first) moved_at_begin = moved;
    auto piece = intervals.add(reading);
    if (!piece) continue;
    moved_at_end = moved;
    seconds += piece->seconds;
    pieces.push_back(*std::move(piece));
  }
  Traffic seen = counters::total(pieces);
  if (moves_memory(load.kind)) seen = counters::stated(std::move(seen));
  return {
      .known = {.load = load, .moved_bytes = moved_at_end - moved_at_begin, .counting = counting_of(source.layout())},
      .seen = std::move(seen)};
}

/// Throws UsageError where there is too little memory.
LoadMaker loads_of_this_cpu() try {
  const cpu::Topology& topology = cpu::machine();
  std::vector<int> cpus;
  for (const cpu::Core& core : topology.cores) cpus.push_back(core.cpu);
  const int quiet = cpu::quiet_core(topology, 0).cpu;
  const std::uint64_t bytes = std::max(least_load_bytes, times_the_caches * cpu::furthest_caches_bytes(topology));
  const auto region = std::make_shared<const cpu::Region>(bytes, cpu::PageKind::small);
  const std::uint64_t in_cache = bytes_in_cache(topology);
  const auto start = [cpus, quiet, region, in_cache](const Load& load) -> RunningLoad {
    if (load.kind == LoadKind::idle) return [] { return 0.0; };
    const std::uint64_t used = load.kind == LoadKind::read_in_cache ? in_cache : region->size_bytes();
    const auto movers = std::make_shared<const cpu::Movers>(std::span(region->data(), used), access_of(load.kind),
                                                            load.cpu_threads == 1 ? std::vector{quiet} : cpus);
    return [movers] { return static_cast<double>(movers->bytes_moved()); };
  };
  return {.loads = loads_for(static_cast<unsigned>(cpus.size())),
          .start = start,
          .wait = [](std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); }};
} catch (const device::Unsupported& reason) {
  throw UsageError(std::string("a self-check needs memory that no cache holds: ") + reason.what());
}

}  // namespace

std::vector<Repetition> repetitions_of(counters::CounterSource& source, const SelfCheckPlan& plan,
                                       const LoadMaker& maker, const std::function<void(const Repetition&)>& done) {
  const cpu::Pinned beside_the_counters(source.layout().cpu);
  std::vector<Repetition> all;
  for (std::size_t round = 0; round < plan.repetitions; ++round) {
    for (const counters::Load& load : maker.loads) {
      Repetition one = repetition_of(source, plan, maker, load);
      if (os::interrupted()) return all;
      done(one);
      all.push_back(std::move(one));
    }
  }
  return all;
}

SelfCheck prepare_self_check(const WatchSource& source) {
  SelfCheck check{.source = source.name, .maker = {}, .repetitions = {}};
  if (source.counters) {
    check.maker = loads_of_this_cpu();
    return check;
  }
  for (const records::CounterLine& one : source.replayed) {
    if (!one.known) continue;
    check.source = one.source;
    check.repetitions.push_back({.known = *one.known, .seen = one.traffic});
  }
  if (check.repetitions.empty())
    throw UsageError("the replayed file is not from a self-check: sonde watch --self-check writes one");
  return check;
}

bool run_self_check(const SelfCheckPlan& plan, SelfCheck& check, WatchSource& source, records::RecordFile& file) {
  const std::int64_t begin_ns = os::steady_ns();
  const auto keep = [&](const Repetition& one) {
    file.append(records::counter_line({.source = check.source,
                                       .traffic = one.seen,
                                       .hit_rate = counters::hit_rate(one.seen, source.why_not.hit_rate),
                                       .baseline = one.known.load.kind == LoadKind::idle,
                                       .beat_bytes = one.known.counting[counters::Role::fabric_read].count_bytes,
                                       .known = one.known}));
  };
  for (const Repetition& one : check.repetitions) keep(one);
  if (source.counters) {
    check.repetitions = repetitions_of(*source.counters, plan, check.maker, [&](Repetition one) {
      one.seen.begin_seconds = std::max(0.0, one.seen.begin_seconds - static_cast<double>(begin_ns) * 1e-9);
      keep(one);
    });
  }
  const bool interrupted = os::interrupted();
  file.append(records::text_of(records::EndLine{.status = interrupted ? "interrupted" : "complete",
                                                .seconds = static_cast<double>(os::steady_ns() - begin_ns) * 1e-9}));
  return interrupted;
}

}  // namespace sonde::session
