// How the probes that stream plan: look by look, from any beginning, whatever fails, and within the sizes asked for.

#include <gtest/gtest.h>

#include <cmath>

#include "cpu/topology.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_bandwidth/cpu_bandwidth.hpp"
#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"
#include "probes/loaded_latency/loaded_latency.hpp"
#include "support/answered_plan.hpp"
#include "support/made_up_machine.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {
namespace {

using test::AnsweredPlan;

constexpr double mib = 1 << 20;
constexpr std::uint64_t mebibyte = 1 << 20;

device::DeviceInfo device_of(device::DeviceType type) {
  device::DeviceInfo info;
  info.type = type;
  info.compute_units = type == device::DeviceType::cpu ? 2 : 32;
  info.bound_bytes = 8ull << 30;
  info.largest_buffer_bytes = 8ull << 30;
  return info;
}

cpu::Topology two_nodes() {
  return cpu::read(test::machine_xml("package:2 [numa] l3:2(size=33554432) l2:4(size=1048576) core:1 pu:2"));
}

/// What a device with caches of 32 KiB and 8 MiB answers: GB/s that fall, ns that rise.
double answer_of(const Point& point) {
  const double bytes = point.x.bytes.value_or(0);
  const double slowness = 1 + 4 * std::max(0.0, 1 - 32 * 1024 / std::max(bytes, 1.0)) +
                          20 * std::max(0.0, 1 - 8 * mib / std::max(bytes, 1.0));
  const double threads = std::min(point.x.groups.value_or(point.x.cpu_threads.value_or(8)), 8.0);
  const double load = 1 / (1 + point.x.delay.value_or(0) / 50);
  return point.curve->unit.name == "ns" ? 4 * slowness * (1 + load) : 400 * load * threads / slowness;
}

/// What else a run would know of these points: the shapes that were found, and what loads beside walks moved.
std::vector<Measurement> as_measured(std::span<const Measurement> answered) {
  std::vector<Measurement> known;
  for (const Measurement& one : answered) {
    known.push_back(one);
    known.back().state.shape = one.point.shape;
    if (one.point.shape.empty())
      known.back().state.shape = workloads::named({.group_size = 64, .groups = 64, .vector_words = 4, .in_flight = 2});
    if (one.point.curve == &cpu_bandwidth_probe::in_memory) known.back().state.shape["beyond_caches"] = 1;
    if (!one.point.x.delay) continue;
    const double gbps = 40 / (1 + *one.point.x.delay / 50);
    if (one.point.curve == &loaded_latency_probe::walk) known.back().point.x.gpu_gbps = gbps;
    known.push_back({.point = known.back().point, .unit = "GB/s", .values = {gbps, gbps, gbps}});
  }
  return known;
}

struct Plan {
  std::string name;
  AnsweredPlan::Next next;
  std::function<Conclusion(std::span<const Measurement>)> conclude;
  bool has_small_sets = true;
};

void PrintTo(const Plan& plan, std::ostream* out) { *out << plan.name; }

Plan plan_of(const std::string& name, const Probe& probe, device::DeviceType type) {
  return {.name = name,
          .next =
              [&probe, type](const Request& request, std::span<const Measurement> answered) {
                const std::vector<Measurement> known = as_measured(answered);
                return measure::new_points(request, known, probe.next(device_of(type), request, known));
              },
          .conclude = [&probe](std::span<const Measurement> known) { return probe.conclude({}, known); }};
}

std::vector<Plan> plans() {
  std::vector<Plan> all{plan_of("BandwidthOfAGpu", bandwidth, device::DeviceType::discrete),
                        plan_of("BandwidthOfACpu", bandwidth, device::DeviceType::cpu),
                        plan_of("LoadedLatencyOfAGpu", loaded_latency, device::DeviceType::discrete),
                        plan_of("LoadedLatencyOfACpu", loaded_latency, device::DeviceType::cpu),
                        plan_of("CpuBandwidth", cpu_bandwidth, device::DeviceType::cpu)};
  all.push_back(
      {.name = "CpuLoadedLatency",
       .next =
           [](const Request& request, std::span<const Measurement> answered) {
             return cpu_load_points(two_nodes(), request, as_measured(answered));
           },
       .conclude = [](std::span<const Measurement> known) { return cpu_load_conclusion(two_nodes(), {}, known); },
       .has_small_sets = false});
  return all;
}

class StreamPlans : public ::testing::TestWithParam<Plan> {};

TEST_P(StreamPlans, CloserLooksOnlyAddAndEnd) {
  for (const std::size_t at_once : {1000u, 7u}) {
    AnsweredPlan plan({}, GetParam().next, answer_of);
    for (const Look look : {Look::first, Look::closer, Look::closest}) {
      EXPECT_GT(plan.go_through(look, at_once), 0u);
      EXPECT_EQ(plan.go_through(look, at_once), 0u);
    }
  }
}

TEST_P(StreamPlans, APlanThatBeginsCloselyHasAllOfThatLook) {
  AnsweredPlan plan({}, GetParam().next, answer_of);
  EXPECT_GT(plan.go_through(Look::closest), 0u);
  EXPECT_EQ(plan.go_through(Look::closest), 0u);
}

TEST_P(StreamPlans, PointsThatFailHoldNothingUp) {
  for (const std::size_t each : {2u, 3u, 5u}) {
    std::size_t asked = 0;
    AnsweredPlan plan({}, GetParam().next, [&](const Point& point) {
      return ++asked % each == 0 ? std::nullopt : std::optional(answer_of(point));
    });
    EXPECT_GT(plan.go_through(Look::first), 3u);
    for (const Look look : {Look::closer, Look::closest}) plan.go_through(look);
    EXPECT_EQ(plan.go_through(Look::closest), 0u);
    EXPECT_EQ(plan.asked().size(), asked);
  }
  AnsweredPlan nothing({}, GetParam().next, [](const Point&) { return std::nullopt; });
  EXPECT_GT(nothing.go_through(Look::closest), 0u);
  EXPECT_TRUE(GetParam().conclude({}).findings.empty());
}

TEST_P(StreamPlans, AnyBeginningIsConcludedFrom) {
  AnsweredPlan plan({}, GetParam().next, answer_of);
  plan.go_through(Look::first);
  const std::vector<Measurement> known = as_measured(plan.known());
  for (std::size_t count = 0; count <= known.size(); ++count) {
    const Conclusion conclusion = GetParam().conclude(std::span(known).first(count));
    for (const Finding& finding : conclusion.findings) {
      EXPECT_TRUE(std::isfinite(finding.value.value_or(0))) << count;
      EXPECT_TRUE(std::isfinite(finding.low.value_or(0)) && std::isfinite(finding.high.value_or(0))) << count;
      EXPECT_EQ(finding.evidence.find("inf"), std::string::npos) << finding.evidence;
      EXPECT_EQ(finding.evidence.find("nan"), std::string::npos) << finding.evidence;
    }
  }
}

TEST_P(StreamPlans, WhateverSizesAreAskedForAreMeasuredAtOnce) {
  for (const auto& [least, most] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {192 * mebibyte, 512 * mebibyte}, {1024 * mebibyte, 1024 * mebibyte}, {3 << 10, 5 << 10}}) {
    if (most < mebibyte && !GetParam().has_small_sets) continue;
    const Request request{.look = Look::first, .smallest_bytes = least, .largest_bytes = most};
    const std::vector<Point> points = GetParam().next(request, {});
    EXPECT_TRUE(std::ranges::any_of(
        points, [&](const Point& one) { return one.x.bytes && measure::is_asked_for(request, *one.x.bytes); }))
        << least << " " << most;
  }
}

INSTANTIATE_TEST_SUITE_P(OfProbes, StreamPlans, ::testing::ValuesIn(plans()),
                         [](const auto& tested) { return tested.param.name; });

TEST(FirstLooks, TakeSecondsOnTwoCores) {
  const std::map<std::string, double> most{{"BandwidthOfACpu", 2.5}, {"LoadedLatencyOfACpu", 1.5}, {"CpuBandwidth", 2}};
  for (const Plan& plan : plans()) {
    double seconds = 0;
    for (const Point& point : plan.next({.look = Look::first}, {})) seconds += point.expected_seconds;
    EXPECT_GT(seconds, 0.3) << plan.name;
    if (most.contains(plan.name)) {
      EXPECT_LT(seconds, most.at(plan.name)) << plan.name;
    }
  }
}

}  // namespace
}  // namespace sonde::probes
