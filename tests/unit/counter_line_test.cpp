#include "records/lines.hpp"

#include <gtest/gtest.h>

namespace sonde::records {
namespace {

using counters::Label;
using counters::Role;

CounterLine counter() {
  CounterLine record{.source = "amd", .baseline = true, .beat_bytes = 64};
  record.traffic.begin_seconds = 3.000125;
  record.traffic.seconds = 0.005000211;
  double amount = 1e9;
  for (const auto& [role, name] : bytes_of_roles) record.traffic.amounts[role] = ++amount;
  record.traffic.amounts[Role::gpu_read] = std::nullopt;
  record.traffic.amounts[Role::memory_clock] = 160'001'234;
  record.traffic.labels = {Label::extrapolated, Label::multiplexed};
  record.traffic.scale = 5.5;
  record.traffic.spread = 0.03125;
  record.hit_rate = {.reads_and_writes = -0.25, .reads = 0.5};
  return record;
}

TEST(CounterLine, ComesBackAsItWas) {
  const CounterLine sent = counter();
  const auto line = read_line(counter_line(sent));
  ASSERT_TRUE(std::holds_alternative<CounterLine>(line));
  const CounterLine& read = std::get<CounterLine>(line);
  EXPECT_EQ(read.source, sent.source);
  EXPECT_EQ(read.baseline, sent.baseline);
  EXPECT_EQ(read.beat_bytes, sent.beat_bytes);
  EXPECT_DOUBLE_EQ(read.traffic.begin_seconds, sent.traffic.begin_seconds);
  EXPECT_DOUBLE_EQ(read.traffic.seconds, sent.traffic.seconds);
  EXPECT_EQ(read.traffic.labels, sent.traffic.labels);
  EXPECT_EQ(read.traffic.scale, sent.traffic.scale);
  EXPECT_EQ(read.traffic.spread, sent.traffic.spread);
  for (std::size_t role = 0; role < counters::role_count; ++role) {
    const auto which = static_cast<Role>(role);
    EXPECT_EQ(read.traffic.amounts[which], sent.traffic.amounts[which]) << role;
  }
}

TEST(CounterLine, CountsAreWholeSoThatALatencyMadeOfThemIsTheFiles) {
  const std::string line =
      R"({"record":"counter","source":"amd","t":0,"dt":1,"state":{"l3_latency_ns":8000.2,"l3_samples":1000}})";
  const CounterLine read = std::get<CounterLine>(read_line(line));
  EXPECT_EQ(read.traffic.amounts[Role::l3_latency_ns], 8000);
  const std::string once = counter_line(read);
  EXPECT_EQ(counter_line(std::get<CounterLine>(read_line(once))), once);
}

TEST(CounterLine, APointOfARunComesBackToo) {
  CounterLine sent = counter();
  sent.point = CountedPoint{.origin = {"gpu-0", "vulkan", "bandwidth"},
                            .point = {.words = {.pattern = measure::Pattern::read}, .x = {.bytes = 4096}},
                            .moved_bytes = 1e9,
                            .fabric_per_byte = 1.25};
  const CounterLine read = std::get<CounterLine>(read_line(counter_line(sent)));
  ASSERT_TRUE(read.point);
  EXPECT_EQ(read.point->origin.device, "gpu-0");
  EXPECT_EQ(read.point->origin.api, "vulkan");
  EXPECT_EQ(read.point->origin.probe, "bandwidth");
  EXPECT_EQ(read.point->point.words, sent.point->point.words);
  EXPECT_EQ(read.point->point.x, sent.point->point.x);
  EXPECT_EQ(read.point->moved_bytes, 1e9);
  EXPECT_EQ(read.point->fabric_per_byte, 1.25);
  EXPECT_FALSE(read.point->memory_per_byte);
  EXPECT_EQ(read.hit_rate.reads_and_writes, -0.25);
  EXPECT_FALSE(std::get<CounterLine>(read_line(counter_line(counter()))).point);
}

TEST(CounterLine, WhatIsNotKnownIsNull) {
  CounterLine record;
  record.traffic.seconds = 1;
  const std::string line = counter_line(record);
  for (const char* field : {R"("fabric_read":null)", R"("memory_write":null)", R"("cpu_latency_ns":null)",
                            R"("hit_rate":null)", R"("beat_bytes":null)", R"("scaled":false)", R"("state":{})"})
    EXPECT_NE(line.find(field), std::string::npos) << field;
}

TEST(CounterLine, AHitRateIsNotKeptAboveZero) {
  EXPECT_NE(counter_line(counter()).find(R"("hit_rate":-0.25)"), std::string::npos);
}

TEST(CounterLine, EveryLabelHasItsName) {
  for (const Label label : {Label::reset, Label::saturated, Label::vanished, Label::not_counted, Label::reads_zero,
                            Label::uneven, Label::multiplexed, Label::extrapolated})
    EXPECT_EQ(counters::label_of(counters::name_of(label)), label);
  EXPECT_FALSE(counters::label_of("unheard of"));
}

}  // namespace
}  // namespace sonde::records
