#include "session/self_check.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "counters/traffic/hit_rate.hpp"
#include "counters/traffic/rates.hpp"
#include "cpu/pinned.hpp"
#include "os/this_process.hpp"
#include "os/time.hpp"
#include "records/counter_line.hpp"
#include "records/lines.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

using counters::KnownTraffic;
using counters::LoadKind;
using counters::Repetition;
using counters::Traffic;

/// Of a repetition, before it: until caches are full of what the load leaves in them.
constexpr double settling_share = 0.5;

counters::PerRole<counters::Counting> counting_of(const counters::Layout& layout) {
  counters::PerRole<counters::Counting> counting;
  for (const counters::Counter& one : layout.counters) {
    counting[one.role].count_bytes = one.count_bytes;
    ++counting[one.role].counters;
  }
  return counting;
}

/// Where little moves, turns differ for no reason that matters beside a load's bytes.
bool moves_memory(LoadKind kind) { return kind != LoadKind::idle && kind != LoadKind::read_in_cache; }

/// Bytes that a load has moved by the middle of a reading, which the counters' own stamps mean too.
double moved_around(counters::CounterSource& source, counters::CounterSnapshot& reading, const RunningLoad& load) {
  const double before = load.moved_bytes();
  source.read(reading);
  source.rotate_group();
  return (before + load.moved_bytes()) / 2;
}

Repetition repetition_of(counters::CounterSource& source, const SelfCheckPlan& plan, const LoadMaker& maker,
                         const counters::Load& load) {
  const auto settling = std::chrono::duration<double>(settling_share * plan.repetition_seconds);
  const auto running = maker.start(load);
  // A busy system takes its time to give the threads their cores.
  while (load.kind != LoadKind::idle && !(running->moved_bytes() > 0) && !os::interrupted()) maker.wait(plan.interval);
  maker.wait(std::chrono::duration_cast<std::chrono::nanoseconds>(settling));
  counters::Intervals intervals(source.layout());
  counters::CounterSnapshot reading = source.layout().empty_snapshot();
  double moved_at_begin = 0;
  double moved_at_end = 0;
  std::vector<Traffic> pieces;
  double seconds = 0;
  for (bool is_first = true; seconds < plan.repetition_seconds && !os::interrupted(); is_first = false) {
    if (!is_first) maker.wait(plan.interval);
    const double moved = moved_around(source, reading, *running);
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

unsigned beat_bytes_of(const KnownTraffic& known) { return known.counting[counters::Role::fabric_read].count_bytes; }

records::CounterRecord record_of(const std::string& source, const std::string& no_hit_rate, const Repetition& one) {
  return {.source = source,
          .traffic = one.seen,
          .hit_rate = counters::hit_rate(one.seen, no_hit_rate),
          .baseline = one.known.load.kind == LoadKind::idle,
          .beat_bytes = beat_bytes_of(one.known),
          .known = one.known};
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
  SelfCheck check{.source = source.name};
  if (source.counters) {
    check.maker = loads_of_this_cpu();
    return check;
  }
  for (const records::CounterRecord& one : source.replayed) {
    if (!one.known) continue;
    check.source = one.source;
    check.replayed.push_back({.known = *one.known, .seen = one.traffic});
  }
  if (check.replayed.empty())
    throw UsageError("the replayed file is of no self-check: sonde watch --self-check writes one that is");
  return check;
}

SelfCheckOutcome run_self_check(const SelfCheckPlan& plan, const SelfCheck& check, WatchSource& source,
                                records::RecordFile& file) {
  const std::int64_t begin_ns = os::steady_ns();
  const auto keep = [&](const Repetition& one) {
    file.append(records::counter_line(record_of(check.source, source.why_not.hit_rate, one)));
  };
  const auto keep_of_now = [&](Repetition one) {
    one.seen.begin_seconds = std::max(0.0, one.seen.begin_seconds - static_cast<double>(begin_ns) * 1e-9);
    keep(one);
  };
  SelfCheckOutcome outcome{.repetitions = check.replayed};
  if (source.counters) outcome.repetitions = repetitions_of(*source.counters, plan, check.maker, keep_of_now);
  for (const Repetition& one : check.replayed) keep(one);
  outcome.roles = counters::check_roles(outcome.repetitions);
  outcome.interrupted = os::interrupted();
  file.append(records::end_line({.status = outcome.interrupted ? "interrupted" : "complete",
                                 .seconds = static_cast<double>(os::steady_ns() - begin_ns) * 1e-9}));
  return outcome;
}

}  // namespace sonde::session
