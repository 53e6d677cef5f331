// A self-check of counters that are known: a kernel of the test's own, whose counters see scripted loads rightly or
// wrongly.
#include "session/self_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "counters/selfcheck/self_check.hpp"
#include "counters/traffic/sources.hpp"
#include "records/lines.hpp"
#include "support/counter_trees.hpp"
#include "support/fake_kernel.hpp"

namespace sonde::session {
namespace {

using counters::CheckedRole;
using counters::CheckVerdict;
using counters::Load;
using counters::LoadKind;
using counters::Repetition;
using counters::Role;
using test::tick_ns;

constexpr unsigned stations = 16;
constexpr unsigned cores = 4;

/// Megabytes that a millisecond moves on the bus, both ways.
struct Moving {
  double read = 0;
  double written = 0;
};

/// A machine whose bus is known, and what may be wrong with its counters.
struct Machine {
  test::FakeKernel kernel;
  Load load;
  double others = 0;         ///< megabytes a millisecond that others read, all the time
  double memory_factor = 1;  ///< counts of the memory controllers, of what is right
  bool memory_clock = true;
  unsigned quiet_station = stations;  ///< shows nothing while stations are looked for; none of them
  bool stuck = false;                 ///< the fabric counts the same whatever is moved
  bool allocates = true;              ///< an ordinary store reads its line
  bool looking = true;                ///< for stations

  Machine() {
    kernel.counters_of[11] = 8;
    kernel.counts_per_tick = [this](const os::PerfEvent& event) { return counts(event); };
  }

  /// Megabytes of the threads' own loads or stores in a millisecond.
  [[nodiscard]] double moved_megabytes() const {
    if (load.kind == LoadKind::idle) return 0;
    if (load.kind == LoadKind::read_in_cache) return 40;
    const double one = load.kind == LoadKind::read ? 10 : load.kind == LoadKind::write ? 5 : 8;
    return load.cpu_threads == 1 ? one : 3 * one;
  }
  [[nodiscard]] Moving bus() const {
    Moving moving{.read = others};
    if (load.kind == LoadKind::read) moving.read += moved_megabytes();
    if (load.kind == LoadKind::write || load.kind == LoadKind::non_temporal_write) moving.written = moved_megabytes();
    if (load.kind == LoadKind::write && allocates) moving.read += moved_megabytes();
    return looking ? Moving{.read = 64, .written = 64} : moving;
  }

 private:
  [[nodiscard]] std::uint64_t counts(const os::PerfEvent& event) const {
    const bool of_memory = event.type != 11;
    if (of_memory && (event.config & 0xFF) == 0) return memory_clock ? 4'000'000 : 0;
    const Moving moving = bus();
    const bool is_write = of_memory ? event.config >> 8 == 2 : (event.config >> 8 & 1) != 0;
    const double bytes = (is_write ? moving.written : moving.read) * 1e6;
    if (of_memory) return static_cast<std::uint64_t>(memory_factor * bytes / 64 / stations);
    const unsigned station = test::station_of(event.config);
    if (station >= stations) {  // two of the CPU's, by their first interface
      const bool counted = station < stations + 2 && (event.config & 0x3F) == 0x1E;
      return counted ? static_cast<std::uint64_t>(bytes / (is_write ? 64 : 32) / 2) : 0;
    }
    if (looking && station == quiet_station) return 0;
    return stuck && !looking ? 5'000 : static_cast<std::uint64_t>(bytes / 64 / stations);
  }
};

class ScriptedLoad {
 public:
  explicit ScriptedLoad(Machine& machine, const Load& load) : machine_(machine), begin_ns_(machine.kernel.now_ns) {
    machine.load = load;
  }
  ScriptedLoad(const ScriptedLoad&) = delete;
  ScriptedLoad& operator=(const ScriptedLoad&) = delete;
  ~ScriptedLoad() { machine_.load = {}; }
  [[nodiscard]] double moved_bytes() const {
    return machine_.moved_megabytes() * 1e6 * static_cast<double>(machine_.kernel.now_ns - begin_ns_) / tick_ns;
  }

 private:
  Machine& machine_;
  std::uint64_t begin_ns_;
};

/// A source whose snapshots have the machine's times.
class Stamped final : public counters::CounterSource {
 public:
  Stamped(Machine& machine, std::unique_ptr<counters::CounterSource> source)
      : machine_(machine), source_(std::move(source)) {}
  [[nodiscard]] const counters::Layout& layout() const override { return source_->layout(); }
  void rotate_group() noexcept override { source_->rotate_group(); }
  void read(counters::CounterSnapshot& into) noexcept override {
    source_->read(into);
    into.before_ns = into.after_ns = static_cast<std::int64_t>(machine_.kernel.now_ns);
  }

 private:
  Machine& machine_;
  std::unique_ptr<counters::CounterSource> source_;
};

std::vector<Load> all_loads() {
  std::vector<Load> loads{{}, {.kind = LoadKind::read_in_cache, .cpu_threads = 1}};
  for (const LoadKind kind : {LoadKind::read, LoadKind::write, LoadKind::non_temporal_write}) {
    loads.push_back({.kind = kind, .cpu_threads = 1});
    loads.push_back({.kind = kind, .cpu_threads = cores});
  }
  return loads;
}

/// `before_each` may change the machine before each load.
std::vector<Repetition> repetitions_on(
    Machine& machine, const counters::EventPlan& plan, const test::FakeTree& tree,
    const std::function<void(Machine&)>& before_each = [](Machine&) {}) {
  counters::OpenedSource opened =
      counters::open_plan(plan, tree.root(), machine.kernel.opener(), machine.kernel.wait());
  EXPECT_TRUE(opened.source) << opened.why_not;
  machine.looking = false;
  Stamped source(machine, std::move(opened.source));
  const LoadMaker maker{
      .loads = all_loads(),
      .start = [&](const Load& load) -> RunningLoad {
        before_each(machine);
        return [scripted = std::make_shared<ScriptedLoad>(machine, load)] { return scripted->moved_bytes(); };
      },
      .wait =
          [&](std::chrono::nanoseconds time) { machine.kernel.now_ns += static_cast<std::uint64_t>(time.count()); }};
  const SelfCheckPlan check{.interval = std::chrono::milliseconds(1), .repetition_seconds = 0.1};
  return repetitions_of(source, check, maker, [](const Repetition&) {});
}

std::vector<Repetition> on_strix_halo(
    Machine& machine, const std::function<void(Machine&)>& before_each = [](Machine&) {}) {
  const test::FakeTree tree;
  test::write_zen4(tree, stations);
  return repetitions_on(machine, counters::amd_plan, tree, before_each);
}

const CheckedRole& in(const std::vector<CheckedRole>& roles, Role role) {
  const auto found = std::ranges::find(roles, role, &CheckedRole::role);
  EXPECT_NE(found, roles.end());
  return *found;
}

TEST(SelfCheck, CountersThatAreRightAreAsExpected) {
  Machine machine;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  ASSERT_EQ(roles.size(), 6u);
  for (const CheckedRole& role : roles) {
    EXPECT_EQ(role.verdict, CheckVerdict::as_expected) << counters::explain(role);
    EXPECT_NEAR(role.share.value().value, 1, 0.01);
  }
  const CheckedRole& fabric = in(roles, Role::fabric_read);
  EXPECT_NEAR(fabric.scale, 5, 1e-6);
  EXPECT_NE(counters::explain(fabric).find("it is scaled by 5; 5 would fit"), std::string::npos)
      << counters::explain(fabric);
  // 0.5 s of each: 10 and 30 GB/s read.
  EXPECT_NEAR(fabric.loads.at(2).moved_bytes, 5e9, 0.3e9);
  EXPECT_NEAR(fabric.loads.at(3).seen_bytes.value(), 15e9, 0.9e9);
}

TEST(SelfCheck, PiecesOfHalfTheSizeAreToldWithTheirBytes) {
  Machine machine;
  machine.memory_factor = 2;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  const CheckedRole& memory = in(roles, Role::memory_write);
  EXPECT_EQ(memory.verdict, CheckVerdict::other_beats);
  EXPECT_NE(counters::explain(memory).find("one count stands for 32 bytes, not 64"), std::string::npos);
  EXPECT_EQ(in(roles, Role::fabric_write).verdict, CheckVerdict::as_expected);
}

TEST(SelfCheck, HalfOfTheBytesMayBeHalfOfTheCounters) {
  Machine machine;
  machine.memory_factor = 0.5;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  const std::string words = counters::explain(in(roles, Role::memory_read));
  EXPECT_NE(words.find("128 bytes, not 64, or 16 counters are half of those that there are"), std::string::npos)
      << words;
}

TEST(SelfCheck, AStationThatIsNotCountedIsMissed) {
  Machine machine;
  machine.quiet_station = 7;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  const CheckedRole& fabric = in(roles, Role::fabric_read);
  EXPECT_EQ(fabric.verdict, CheckVerdict::stations_missing) << counters::explain(fabric);
  EXPECT_NE(counters::explain(fabric).find("as if 15 of 16 stations"), std::string::npos) << counters::explain(fabric);
  EXPECT_EQ(in(roles, Role::memory_read).verdict, CheckVerdict::as_expected);
}

TEST(SelfCheck, AFactorThatNothingExplainsIsSaidToBeOne) {
  Machine machine;
  machine.memory_factor = 3;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  EXPECT_EQ(in(roles, Role::memory_read).verdict, CheckVerdict::other_factor);
}

TEST(SelfCheck, CountersThatAreSwitchedOffAreToldFromMemoryThatIsIdle) {
  for (const bool clock : {false, true}) {
    Machine machine;
    machine.memory_factor = 0;
    machine.memory_clock = clock;
    const auto roles = counters::check_roles(on_strix_halo(machine));
    const CheckedRole& memory = in(roles, Role::memory_read);
    EXPECT_EQ(memory.verdict, CheckVerdict::counts_nothing) << clock;
    EXPECT_NE(counters::explain(memory).find("firmware"), std::string::npos);
    EXPECT_EQ(in(roles, Role::fabric_read).verdict, CheckVerdict::as_expected);
  }
}

TEST(SelfCheck, SharedCountersAreScaledAndSaidToBe) {
  Machine machine;
  const auto shared = [](Machine& one) { one.kernel.running_share = 0.5; };
  const auto roles = counters::check_roles(on_strix_halo(machine, shared));
  const CheckedRole& memory = in(roles, Role::memory_read);
  EXPECT_EQ(memory.verdict, CheckVerdict::as_expected);
  EXPECT_NE(counters::explain(memory).find("kernel.nmi_watchdog=0"), std::string::npos);
}

TEST(SelfCheck, WhatOthersMoveAllTheTimeIsTakenOff) {
  Machine machine;
  machine.others = 4;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  const CheckedRole& fabric = in(roles, Role::fabric_read);
  EXPECT_EQ(fabric.verdict, CheckVerdict::as_expected) << counters::explain(fabric);
  EXPECT_NEAR(fabric.idle_gbps, 4, 0.1);
}

TEST(SelfCheck, WhatOthersMoveNowAndThenSpoilsIt) {
  Machine machine;
  std::uint64_t calls = 0;
  const auto noisy = [&calls](Machine& one) { one.others = 1.5 * static_cast<double>(++calls * 7 % 5); };
  const auto roles = counters::check_roles(on_strix_halo(machine, noisy));
  const CheckedRole& fabric = in(roles, Role::fabric_read);
  EXPECT_EQ(fabric.verdict, CheckVerdict::disturbed) << counters::explain(fabric);
  EXPECT_EQ(in(roles, Role::fabric_write).verdict, CheckVerdict::as_expected);
}

TEST(SelfCheck, ACounterThatAlwaysCountsTheSameDoesNotFollow) {
  Machine machine;
  machine.stuck = true;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  EXPECT_EQ(in(roles, Role::fabric_read).verdict, CheckVerdict::does_not_follow);
  EXPECT_FALSE(counters::is_fine(CheckVerdict::does_not_follow));
}

TEST(SelfCheck, ACounterThatSeesTheCpusOwnCacheDoesNotFollow) {
  Machine machine;
  auto repetitions = on_strix_halo(machine);
  for (Repetition& one : repetitions) {
    if (one.known.load.kind == LoadKind::read_in_cache) one.seen.amounts[Role::fabric_read] = one.known.moved_bytes;
  }
  const auto roles = counters::check_roles(repetitions);
  EXPECT_EQ(in(roles, Role::fabric_read).verdict, CheckVerdict::does_not_follow);
  EXPECT_EQ(in(roles, Role::memory_read).verdict, CheckVerdict::as_expected);
}

TEST(SelfCheck, WhetherAStoreReadsItsLineIsNoFaultOfACounter) {
  Machine machine;
  machine.allocates = false;
  const auto roles = counters::check_roles(on_strix_halo(machine));
  const CheckedRole& fabric = in(roles, Role::fabric_read);
  EXPECT_EQ(fabric.verdict, CheckVerdict::as_expected);
  const auto stores = std::ranges::find(fabric.loads, Load{LoadKind::write, 1}, &counters::CheckedLoad::load);
  ASSERT_NE(stores, fabric.loads.end());
  EXPECT_FALSE(stores->judged);
  EXPECT_NEAR(stores->share.value().value, 0, 0.01);
}

TEST(SelfCheck, ARoleThatIsMostlyUnknownIsNotKnown) {
  Machine machine;
  auto repetitions = on_strix_halo(machine);
  for (std::size_t place = 0; place < repetitions.size() * 3 / 5; ++place) {
    repetitions[place].seen.amounts[Role::cpu_read] = std::nullopt;
    repetitions[place].seen.labels.insert(counters::Label::not_counted);
  }
  const CheckedRole cpu = in(counters::check_roles(repetitions), Role::cpu_read);
  EXPECT_EQ(cpu.verdict, CheckVerdict::not_known);
  EXPECT_NE(counters::explain(cpu).find("no counter left"), std::string::npos);
}

TEST(SelfCheck, TheFabricBeforeZen4IsCalibrated) {
  Machine machine;
  const test::FakeTree tree;
  test::write_zen2(tree);
  machine.kernel.counters_of[11] = 4;
  machine.kernel.counts_per_tick = [&machine](const os::PerfEvent&) {  // three times as many as there are
    const Moving moving = machine.bus();
    return static_cast<std::uint64_t>(3e6 * (moving.read + moving.written) / 64 / 8);
  };
  const auto roles = counters::check_roles(repetitions_on(machine, counters::amd_before_zen4_plan, tree));
  ASSERT_EQ(roles.size(), 1u);
  EXPECT_EQ(roles[0].verdict, CheckVerdict::calibrated);
  EXPECT_NE(counters::explain(roles[0]).find("One count stands for 21.3"), std::string::npos)
      << counters::explain(roles[0]);
}

TEST(SelfCheck, CountersOfNothingGiveNoRole) {
  Machine machine;
  auto repetitions = on_strix_halo(machine);
  for (Repetition& one : repetitions) {
    one.known.counting = {};
    one.known.counting[Role::other] = {.count_bytes = 1, .counters = 3};
  }
  EXPECT_TRUE(counters::check_roles(repetitions).empty());
}

TEST(SelfCheck, ItsRecordsGiveTheSameWords) {
  Machine machine;
  machine.quiet_station = 3;
  machine.others = 1;
  const auto repetitions = on_strix_halo(machine);
  std::vector<Repetition> read_again;
  for (const Repetition& one : repetitions) {
    const auto line = records::read_line(records::counter_line(
        {.source = "amd", .traffic = one.seen, .hit_rate = {}, .baseline = false, .known = one.known}));
    const auto* const counter = std::get_if<records::CounterLine>(&line);
    ASSERT_TRUE(counter != nullptr && counter->known);
    read_again.push_back({.known = *counter->known, .seen = counter->traffic});
  }
  const auto roles = counters::check_roles(repetitions);
  const auto same = counters::check_roles(read_again);
  ASSERT_EQ(roles.size(), same.size());
  for (std::size_t place = 0; place < roles.size(); ++place)
    EXPECT_EQ(counters::explain(roles[place]), counters::explain(same[place]));
}

}  // namespace
}  // namespace sonde::session
