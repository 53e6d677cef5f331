// Windows of known counters: they leave out what moves between them, and stations are rotated.

#include "counters/traffic/traffic_meter.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "counters/traffic/rates.hpp"
#include "device/model/model.hpp"

namespace sonde::counters {
namespace {

/// Two rotated stations, and memory.
class TwoStations final : public CounterSource {
 public:
  TwoStations() {
    layout_ = {.name = "two stations",
               .counters = {{.role = Role::fabric_read, .count_bytes = 64, .group = 0},
                            {.role = Role::fabric_read, .count_bytes = 64, .group = 1},
                            {.role = Role::memory_read, .count_bytes = 64, .group = 2}},
               .groups = 3,
               .rotations = 2,
               .is_rotated = {true, true, false},
               .width_bits = 48};
    now_ = layout_.empty_snapshot();
    // The counters are about to overflow.
    now_.values = {(1ull << 48) - 10, 0, (1ull << 48) - 10};
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(CounterSnapshot& into) noexcept override { into = now_; }
  void rotate_group() noexcept override { turn_ = 1 - turn_; }

  /// Passes a millisecond in which each station moves so many beats and memory half of all.
  void work(std::uint64_t beats, std::uint64_t nanoseconds = 1'000'000) {
    for (const std::size_t group : {turn_, std::size_t{2}}) {
      now_.values[group] = (now_.values[group] + beats) & ((1ull << 48) - 1);
      now_.groups[group].enabled_ns += nanoseconds;
      now_.groups[group].running_ns += nanoseconds;
    }
    now_.before_ns += static_cast<std::int64_t>(nanoseconds);
    now_.after_ns += static_cast<std::int64_t>(nanoseconds);
  }

  void vanish() { now_.groups[1].status = GroupStatus::vanished; }

 private:
  Layout layout_;
  CounterSnapshot now_;
  std::size_t turn_ = 0;
};

struct Metered {
  TwoStations* source = new TwoStations;
  TrafficMeter meter{std::unique_ptr<CounterSource>(source)};

  void window(std::uint64_t amount, std::uint64_t beats) {
    meter.begin();
    source->work(beats);
    meter.end(amount);
  }
};

TEST(TrafficMeter, CountsWhatMovesInItsWindowsAlone) {
  Metered metered;
  for (int i = 0; i < 4; ++i) {
    metered.window(100, 1000);
    metered.source->work(999'999);
  }
  const auto [pieces, windows] = metered.meter.take(100, 10);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(windows, 4u);
  for (const Traffic& piece : pieces) {
    // Each station was counted in one of two windows.
    EXPECT_DOUBLE_EQ(piece.amounts[Role::fabric_read].value(), 2 * 2 * 1000 * 64);
    EXPECT_DOUBLE_EQ(piece.amounts[Role::memory_read].value(), 2 * 1000 * 64);
    EXPECT_NEAR(piece.seconds, 2e-3, 1e-12);
    EXPECT_TRUE(piece.labels.contains(Label::extrapolated));
  }
}

TEST(TrafficMeter, ShortWindowsBesideLongOnesTakeNoTurnFromThem) {
  Metered metered;
  for (int i = 0; i < 4; ++i) {
    metered.window(10, 7);
    metered.window(100, 1000);
  }
  const auto pieces = metered.meter.take(100, 10).pieces;
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_DOUBLE_EQ(pieces[0].amounts[Role::fabric_read].value(), 2 * 2 * 1000 * 64);
  EXPECT_TRUE(metered.meter.take(100, 10).pieces.empty());
}

TEST(TrafficMeter, OfWindowsOfOneAmountTheLatestAreTaken) {
  Metered metered;
  for (int i = 0; i < 3; ++i) metered.window(100, 555'555);
  for (int i = 0; i < 2; ++i) metered.window(100, 1000);
  const auto taken = metered.meter.take(100, 2);
  ASSERT_EQ(taken.pieces.size(), 1u);
  EXPECT_EQ(taken.windows, 2u);
  EXPECT_DOUBLE_EQ(taken.pieces[0].amounts[Role::memory_read].value(), 2 * 1000 * 64);
}

TEST(TrafficMeter, AWindowThatWasInterruptedMovedNoMore) {
  Metered metered;
  metered.window(100, 1000);
  metered.meter.begin();
  metered.source->work(1000, 3'000'000);
  metered.meter.end(100);
  const auto pieces = metered.meter.take(100, 2).pieces;
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_DOUBLE_EQ(pieces[0].amounts[Role::fabric_read].value(), 2 * 2 * 1000 * 64);
  EXPECT_LT(pieces[0].spread.value(), 0.01);
}

TEST(TrafficMeter, WhatHasNotCountedAllStationsIsNoPiece) {
  Metered metered;
  metered.window(100, 1000);
  const auto taken = metered.meter.take(100, 10);
  EXPECT_TRUE(taken.pieces.empty());
  EXPECT_EQ(taken.windows, 0u);
}

TEST(TrafficMeter, ACounterThatVanishedLeavesItsRoleUnknown) {
  Metered metered;
  metered.window(100, 1000);
  metered.source->vanish();
  metered.window(100, 1000);
  const auto pieces = metered.meter.take(100, 10).pieces;
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_FALSE(pieces[0].amounts[Role::fabric_read]);
  EXPECT_TRUE(pieces[0].labels.contains(Label::vanished));
  EXPECT_TRUE(pieces[0].amounts[Role::memory_read]);
}

TEST(SimulatedCounters, UnevenStationsInTurnAddUpToAllOfThem) {
  device::SimulatedTraffic traffic;
  traffic.stations.resize(16);
  TrafficMeter meter(device::model::simulated_counters(traffic));
  for (int window = 0; window < 8; ++window) {
    meter.begin();
    traffic.seconds += 1e-3;
    for (std::size_t station = 0; station < 16; ++station) {
      traffic.stations[station].read += (1 + 0.002 * static_cast<double>(station)) * 1e6;
      traffic.stations[station].write += 1e5;
    }
    traffic.memory_read += 4e6;
    traffic.memory_write += 4e5;
    traffic.cpu_read += 1e5;
    traffic.cpu_write += 2e4;
    meter.end(1);
  }
  const auto pieces = meter.take(1, 10).pieces;
  ASSERT_EQ(pieces.size(), 2u);
  for (const Traffic& piece : pieces) {
    EXPECT_NEAR(piece.amounts[Role::fabric_read].value() / (4 * 16.24e6), 1, 1e-4);
    EXPECT_NEAR(piece.scale, 4, 1e-6);
    const double fabric = 16.24e6 + 1.6e6 - 0.12e6;
    const HitRate rate = hit_rate(stated(piece), "");
    EXPECT_TRUE(rate.without_cpu);
    EXPECT_NEAR(rate.reads_and_writes.value(), 1 - (4.4e6 - 0.12e6) / fabric, 1e-3);
  }
}

}  // namespace
}  // namespace sonde::counters
