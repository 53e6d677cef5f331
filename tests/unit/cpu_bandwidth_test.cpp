// The CPU's own streams: what each kernel leaves in memory, whether a team proves its work, and what is concluded.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "measure/repetitions.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_bandwidth/cpu_bandwidth.hpp"
#include "probes/cpu_bandwidth/team.hpp"

namespace sonde::probes {
namespace {

using cpu::StoreKind;
using cpu::Stream;
using measure::Pattern;
using measure::Pinning;

constexpr std::size_t count = 4 * cpu::stream_step;
constexpr double scalar = 5;

struct alignas(64) Arrays {
  std::array<double, count> a{};
  std::array<double, count> b{};
  std::array<double, count> c{};

  Arrays() {
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = 1000 + static_cast<double>(i);
      b[i] = static_cast<double>(i);
      c[i] = 7 * static_cast<double>(i) + 1;
    }
  }
  cpu::StreamArrays all() { return {.a = a.data(), .b = b.data(), .c = c.data(), .count = count}; }
};

double wanted(Stream stream, const Arrays& before, std::size_t i, int passes) {
  switch (stream) {
    case Stream::read: return before.a[i];
    case Stream::write: return scalar;
    case Stream::copy: return before.b[i];
    case Stream::scale: return scalar * before.b[i];
    case Stream::add: return before.b[i] + before.c[i];
    case Stream::triad: return before.b[i] + scalar * before.c[i];
    case Stream::read_modify_write: return before.a[i] + passes * scalar;
    case Stream::read_2_write_1: return before.a[i] + passes * before.b[i];
    case Stream::read_3_write_1: return before.a[i] + passes * (before.b[i] + before.c[i]);
  }
  return 0;
}

std::vector<const cpu::StreamKernels*> all_kernels() {
  std::vector<const cpu::StreamKernels*> all;
  for (const auto of_a_width : cpu::stream_kernels()) {
    for (const cpu::StreamKernels& kernels : of_a_width) all.push_back(&kernels);
  }
  return all;
}

TEST(StreamKernels, OfEveryWidthAndNumberInFlightLeaveWhatTheyShould) {
  constexpr int passes = 3;
  for (const cpu::StreamKernels* kernels : all_kernels()) {
    for (int stream = 0; stream < cpu::streams; ++stream) {
      for (const int stores : {0, 1}) {
        const auto kernel = kernels->run[stream][stores];
        if (kernel == nullptr) continue;
        Arrays arrays;
        const Arrays before;
        std::uint64_t sum = 0;
        for (const double value : before.a) sum += std::bit_cast<std::uint64_t>(value);
        const std::uint64_t returned = kernel(arrays.all(), scalar, passes);
        EXPECT_EQ(returned, stream == 0 ? passes * sum : 0) << kernels->name;
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(arrays.a[i], wanted(static_cast<Stream>(stream), before, i, passes))
              << kernels->name << " " << stream << " " << stores << " " << i;
        }
        EXPECT_EQ(arrays.b, before.b);
        EXPECT_EQ(arrays.c, before.c);
      }
    }
  }
}

TEST(StreamKernels, BeginWithTheWidest) {
  const auto all = cpu::stream_kernels();
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i].front().vector_bytes, all[i - 1].front().vector_bytes);
  EXPECT_EQ(all.back().front().vector_bytes, 16);
}

std::vector<const cpu::Core*> cores_here() { return order_of(cpu::machine(), Pinning::compact); }

std::vector<StreamFacts> all_streams() {
  std::vector<StreamFacts> all;
  for (std::size_t pattern = 0; pattern < spellings(Pattern{}).size(); ++pattern)
    all.push_back(facts_of(static_cast<Pattern>(pattern)));
  return all;
}

TEST(StreamTeam, ProvesEveryRunOfEveryStream) {
  for (const StreamFacts& facts : all_streams()) {
    StreamTeam team(cores_here(), cpu::usual_stream_kernels(), facts.stream, StoreKind::ordinary, facts.arrays,
                    10 * cpu::stream_step);
    for (const std::uint64_t passes : {1u, 5u, 2u}) {
      EXPECT_GT(team.run(passes).count(), 0);
      EXPECT_EQ(team.proof_failure(), std::nullopt) << measure::word_of(facts.pattern);
    }
    EXPECT_TRUE(team.pinned());
  }
}

TEST(StreamTeam, ProvesEveryRunOverASectionOfEveryStream) {
  constexpr std::size_t steps = 100;
  constexpr std::size_t sections = 7;
  for (const StreamFacts& facts : all_streams()) {
    StreamTeam team(cores_here(), cpu::usual_stream_kernels(), facts.stream, StoreKind::ordinary, facts.arrays,
                    steps * cpu::stream_step);
    static_cast<void>(team.run(2));
    EXPECT_EQ(team.passes_made(), 2);
    team.divide(sections);
    for (int lap = 0; lap < 3; ++lap) {
      double passes = 0;
      for (std::size_t section = 0; section < sections; ++section) {
        static_cast<void>(team.run(1));
        EXPECT_EQ(team.proof_failure(), std::nullopt)
            << measure::word_of(facts.pattern) << " " << lap << " " << section;
        EXPECT_NEAR(team.passes_made(), 1.0 / sections, 1.0 / steps);
        passes += team.passes_made();
      }
      EXPECT_DOUBLE_EQ(passes, 1);
    }
  }
}

TEST(StreamTeam, HasNoMoreSectionsThanSteps) {
  StreamTeam team({cores_here().front()}, cpu::usual_stream_kernels(), Stream::triad, StoreKind::ordinary, 3,
                  2 * cpu::stream_step);
  team.divide(5);
  static_cast<void>(team.run(1));
  EXPECT_EQ(team.passes_made(), 0.5);
  EXPECT_EQ(team.proof_failure(), std::nullopt);
}

/// All but the last step of what it is told.
template <int Of>
std::uint64_t all_but_the_last(const cpu::StreamArrays& arrays, double value, std::uint64_t passes) {
  cpu::StreamArrays fewer = arrays;
  fewer.count -= cpu::stream_step;
  return cpu::usual_stream_kernels().run[Of][0](fewer, value, passes);
}

TEST(StreamTeam, ASectionThatIsNotDoneToItsEndIsFound) {
  cpu::StreamKernels lazy = cpu::usual_stream_kernels();
  lazy.run[static_cast<int>(Stream::read)][0] = all_but_the_last<static_cast<int>(Stream::read)>;
  lazy.run[static_cast<int>(Stream::copy)][0] = all_but_the_last<static_cast<int>(Stream::copy)>;
  lazy.run[static_cast<int>(Stream::read_2_write_1)][0] = all_but_the_last<static_cast<int>(Stream::read_2_write_1)>;
  for (const Pattern pattern : {Pattern::read, Pattern::copy, Pattern::read_2_write_1}) {
    const StreamFacts& facts = facts_of(pattern);
    StreamTeam team({cores_here().front()}, lazy, facts.stream, StoreKind::ordinary, facts.arrays,
                    20 * cpu::stream_step);
    team.divide(3);
    for (int section = 0; section < 3; ++section) {
      static_cast<void>(team.run(1));
      EXPECT_TRUE(team.proof_failure()) << measure::word_of(pattern) << " " << section;
    }
  }
}

TEST(StreamTeam, WorksWithTheKernelsThatWereFoundToBeTheFastest) {
  const auto all = all_kernels();
  StreamTeam team({cores_here().front()}, *all.front(), Stream::triad, StoreKind::ordinary, 3, 20 * cpu::stream_step);
  const std::uint64_t passes = passes_of_a_run(team);
  const cpu::StreamKernels& fastest = fastest_of(all, team, passes);
  EXPECT_NE(std::ranges::find(all, &fastest), all.end());
  static_cast<void>(team.run(passes));
  EXPECT_EQ(team.proof_failure(), std::nullopt);
}

TEST(StreamTeam, ReadsTheMemoryOfTheNodeThatIsNamed) {
  const std::vector<const cpu::Core*> cores = cores_here();
  const std::vector<int> nodes(cores.size(), cpu::machine().nodes.front());
  try {
    StreamTeam team(cores, cpu::usual_stream_kernels(), Stream::read, StoreKind::ordinary, 1, 10 * cpu::stream_step,
                    nodes);
    EXPECT_GT(team.run(2).count(), 0);
    EXPECT_EQ(team.proof_failure(), std::nullopt);
  } catch (const device::Unsupported& reason) {
    GTEST_SKIP() << reason.what();  // a container may forbid to bind memory
  }
  const std::vector<int> absent(cores.size(), cpu::machine().nodes.back() + 1);
  EXPECT_THROW(StreamTeam(cores, cpu::usual_stream_kernels(), Stream::read, StoreKind::ordinary, 1,
                          10 * cpu::stream_step, absent),
               device::Unsupported);
}

std::uint64_t idle(const cpu::StreamArrays&, double, std::uint64_t) { return 0; }

TEST(StreamTeam, AKernelThatDoesNothingIsFound) {
  cpu::StreamKernels lazy = cpu::usual_stream_kernels();
  for (auto& kernels : lazy.run) kernels[0] = idle;
  for (int stream = 0; stream < cpu::streams; ++stream) {
    StreamTeam team(cores_here(), lazy, static_cast<Stream>(stream), StoreKind::ordinary, 3, 10 * cpu::stream_step);
    static_cast<void>(team.run(1));
    EXPECT_TRUE(team.proof_failure()) << stream;
  }
}

/// Writes the first time, and then leaves it at that.
std::uint64_t once(const cpu::StreamArrays& arrays, double value, std::uint64_t passes) {
  static bool written = false;
  if (std::exchange(written, true)) return 0;
  return cpu::stream_kernels().back().front().run[static_cast<int>(Stream::write)][0](arrays, value, passes);
}

TEST(StreamTeam, WhatAnEarlierRunLeftIsNoProof) {
  cpu::StreamKernels lazy = cpu::usual_stream_kernels();
  lazy.run[static_cast<int>(Stream::write)][0] = once;
  StreamTeam team({cores_here().front()}, lazy, Stream::write, StoreKind::ordinary, 1, 100 * cpu::stream_step);
  static_cast<void>(team.run(1));
  EXPECT_EQ(team.proof_failure(), std::nullopt);
  static_cast<void>(team.run(1));
  EXPECT_TRUE(team.proof_failure());
}

TEST(StreamTeam, WhatAProcessorDoesNotHaveOrMemoryDoesNotHoldIsUnsupported) {
  const cpu::StreamKernels& kernels = cpu::usual_stream_kernels();
  const std::vector<const cpu::Core*> one{cores_here().front()};
  EXPECT_THROW(StreamTeam(one, kernels, Stream::read, StoreKind::non_temporal, 1, cpu::stream_step),
               device::Unsupported);
  EXPECT_THROW(StreamTeam(one, kernels, Stream::read, StoreKind::ordinary, 1, 1ull << 45), device::Unsupported);
}

// --- the probe ---

measure::Request little() { return {.look = Look::first, .smallest_bytes = 1 << 10, .largest_bytes = 1 << 20}; }

TEST(CpuBandwidth, EveryWorkloadOfThisMachineProvesItsWork) {
  const auto device = cpu::open();
  int points = 0;
  for (const Point& point : cpu_bandwidth_points(cpu::machine(), little())) {
    if (point.x.bytes > 16.0 * 1024) continue;
    const Workload workload = point.curve->prepare(*device, point, little());
    Point again = point;
    again.shape = workload.shape;
    again.shape["in_flight"] = 4;
    EXPECT_EQ(point.curve->prepare(*device, again, little()).shape.at("in_flight"), 4);
    ++points;
    try {
      const Repetitions found =
          std::get<SelfTimedWork>(workload.work).repeat({.least_repetitions = 3, .most_repetitions = 3}, [] {});
      EXPECT_EQ(found.values.size(), 3u);
      EXPECT_GT(std::ranges::min(found.values), 0.001);
    } catch (const device::TooShort& reason) {
      EXPECT_NE(std::string(reason.what()).find("measure again"), std::string::npos);  // this machine runs much else
    }
  }
  EXPECT_GE(points, 3);
}

constexpr auto ordinary = measure::Stores::ordinary;
constexpr auto non_temporal = measure::Stores::non_temporal;

Measurement measured(Pattern pattern, measure::Stores stores, double threads, double gbps, double bytes = 1 << 28) {
  Measurement one{.point = {.words = {.bytes_counted = measure::BytesCounted::program,
                                      .pattern = pattern,
                                      .pinning = Pinning::compact,
                                      .stores = stores},
                            .x = {.bytes = bytes, .cpu_threads = threads}},
                  .unit = "GB/s",
                  .values = std::vector<double>(9, gbps)};
  one.state.shape = {{"beyond_caches", bytes > (1 << 20) ? 1 : 0}};
  return one;
}

TEST(CpuBandwidth, SaysHowManyThreadsSaturateMemory) {
  const std::vector<Measurement> all{
      measured(Pattern::triad, ordinary, 1, 20),    measured(Pattern::triad, ordinary, 2, 38),
      measured(Pattern::triad, ordinary, 4, 55),    measured(Pattern::triad, ordinary, 8, 60),
      measured(Pattern::triad, ordinary, 16, 59.8), measured(Pattern::triad, ordinary, 1, 200, 1 << 14),
      measured(Pattern::copy, ordinary, 1, 20),     measured(Pattern::copy, ordinary, 16, 60),
      measured(Pattern::read, ordinary, 1, 20),     measured(Pattern::read, ordinary, 2, 21)};
  const std::vector<Finding> found = saturation_findings(all);
  ASSERT_EQ(found.size(), 2u);  // of the copies nobody knows what lies between 1 and 16
  EXPECT_EQ(found[0].words.pattern, Pattern::triad);
  EXPECT_EQ(found[0].value, 4);
  EXPECT_EQ(found[0].details.at("threads_for_99_percent"), 8);
  EXPECT_EQ(found[1].value, 1);
}

TEST(CpuBandwidth, SaysNothingOfMemoryWhereNoWorkingSetIsBeyondTheCaches) {
  const std::vector<Measurement> all{
      measured(Pattern::write, ordinary, 1, 20, 1 << 14), measured(Pattern::write, ordinary, 2, 38, 1 << 14),
      measured(Pattern::write, non_temporal, 1, 20, 1 << 14), measured(Pattern::write, non_temporal, 2, 38, 1 << 14)};
  EXPECT_TRUE(saturation_findings(all).empty());
  EXPECT_TRUE(non_temporal_findings(all).empty());
}

TEST(CpuBandwidth, SaysWhatStoresPastTheCachesGain) {
  const std::vector<Measurement> all{
      measured(Pattern::copy, ordinary, 1, 10), measured(Pattern::copy, non_temporal, 1, 11),
      measured(Pattern::copy, ordinary, 8, 40), measured(Pattern::copy, non_temporal, 8, 58),
      measured(Pattern::write, non_temporal, 8, 58)};
  const std::vector<Finding> found = non_temporal_findings(all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(*found[0].value, 1.45, 1e-6);
  EXPECT_EQ(found[0].words.stores, non_temporal);
  EXPECT_NE(found[0].evidence.find("1.45 times as much, where 1.50"), std::string::npos) << found[0].evidence;
}

TEST(CpuBandwidth, CountsTheBytesOfTheBusAsALineThatIsReadBeforeItIsWritten) {
  const std::map<Pattern, double> ideals{{Pattern::read, 1},
                                         {Pattern::write, 2},
                                         {Pattern::copy, 1.5},
                                         {Pattern::scale, 1.5},
                                         {Pattern::add, 4.0 / 3},
                                         {Pattern::triad, 4.0 / 3},
                                         {Pattern::read_modify_write, 1},
                                         {Pattern::read_2_write_1, 1},
                                         {Pattern::read_3_write_1, 1}};
  for (const auto& [pattern, ideal] : ideals) EXPECT_DOUBLE_EQ(facts_of(pattern).ideal_gain(), ideal);
}

}  // namespace
}  // namespace sonde::probes
