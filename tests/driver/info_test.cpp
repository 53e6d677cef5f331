// The device contract, what a driver says of itself; and every probe's smallest points on a real driver.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "counters/state/host_time.hpp"
#include "driver/device_test.hpp"
#include "measure/runner.hpp"
#include "measure/settle.hpp"
#include "probes/catalog.hpp"
#include "support/recording_observer.hpp"
#include "workloads/arithmetic/arithmetic_chain.hpp"

namespace sonde::device {
namespace {

class DeviceSays : public test::DeviceTest {};

TEST_P(DeviceSays, WhatItIs) {
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.api, GetParam() == "opencl" ? Api::opencl : GetParam() == "model" ? Api::model : Api::vulkan);
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.platform.empty());
  EXPECT_FALSE(info.driver.empty());
  const bool simulated = info.type == DeviceType::model;
  EXPECT_EQ(simulated, GetParam() == "model");
  EXPECT_EQ(info.driver_version.empty(), simulated);
  EXPECT_EQ(info.api_version.empty(), simulated);
  EXPECT_GT(info.memory_bytes, 0u);
  EXPECT_GT(info.largest_buffer_bytes, 0u);
  EXPECT_FALSE(info.largest_buffer_reason.empty());
  EXPECT_GE(info.largest_group_size, 1u);
  EXPECT_GT(info.timer_step_ns, 0);
}

TEST_P(DeviceSays, ThatPoclAndLlvmpipeAreCpus) {
  const DeviceInfo& info = device->info();
  if (info.platform == "rusticl") GTEST_SKIP() << "which drives CPUs and GPUs";
  const bool renders_on_the_cpu = info.platform == "Portable Computing Language" || info.platform == "llvmpipe";
  EXPECT_EQ(info.type == DeviceType::cpu, renders_on_the_cpu) << info.platform;
  if (renders_on_the_cpu) {
    EXPECT_TRUE(info.unified_memory);
  }
}

TEST_P(DeviceSays, ItsIdentityInOneSpelling) {
  const DeviceInfo& info = device->info();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  EXPECT_TRUE(info.uuid.empty() || info.uuid.size() == 32) << info.uuid;
  EXPECT_TRUE(std::all_of(info.uuid.begin(), info.uuid.end(), is_digit)) << info.uuid;
  EXPECT_TRUE(info.pci.empty() || info.pci.size() == 12) << info.pci;
}

TEST_P(DeviceSays, ThatThereIsMemoryAndNotMoreThanItHas) {
  EXPECT_GT(device->available_bytes(), 0u);
  EXPECT_LE(device->available_bytes(), device->info().memory_bytes);
}

INSTANTIATE_TEST_SUITE_P(, DeviceSays, test::every_device, test::name_of_device);

class ProbeOnDevice : public test::DeviceTest {};

const measure::Probe* asked = nullptr;

/// The two smallest points of those that the probe wants first, each once; its questions are otherwise its own.
std::vector<measure::Point> first_two(const DeviceInfo& info, const measure::Request& request,
                                      std::span<const measure::Measurement> known) {
  if (!known.empty()) return {};
  auto points = asked->next(info, request, known);
  std::ranges::stable_sort(points, {}, [](const measure::Point& point) {
    const auto bytes = point.x.find("bytes");
    return bytes == point.x.end() ? 0.0 : bytes->second;
  });
  if (points.size() > 2) points.resize(2);
  for (measure::Point& point : points) point.visits = 1;
  return points;
}

/// The frame that is built in takes a simulator of GPUs minutes too.
measure::Frame small_frame() {
  return {.name = "small",
          .surfaces = {{.name = "texture", .is_texture = true, .bytes_per_pixel = 1, .divided_by = 4},
                       {.name = "one", .bytes_per_pixel = 1, .divided_by = 4},
                       {.name = "other", .bytes_per_pixel = 1, .divided_by = 4}},
          .passes = {{.name = "first", .reads = {{0, 1}}, .writes = 1},
                     {.name = "second", .reads = {{1, 2}, {0, 1}}, .writes = 2}}};
}

TEST_P(ProbeOnDevice, LeavesSamplesAboveZeroAndNoError) {
  for (const measure::Probe* probe : probes::catalog()) {
    if (probe->obstacle(device->info())) continue;
    asked = probe;
    measure::Probe small = *probe;
    small.next = first_two;
    test::RecordingObserver observer;
    measure::Request request{.effort = measure::Effort::quick, .frame = small_frame()};
    // Every byte that is copied is proved, which takes a simulator of GPUs minutes.
    if (probe->name == "copy") request.largest_bytes = 4096;
    // Host time stands still: what others do on this machine must not decide how much is measured.
    measure::run_probe(*device, small, {.request = request, .host_time = [] { return counters::HostTime{}; }},
                       observer);
    for (const auto& failure : observer.failures) ADD_FAILURE() << probe->name << ": " << failure.text;
    // Not every device has every way that a probe tries; but what it lacks has a reason, and one of two is there.
    for (const auto& skip : observer.skips) EXPECT_GT(skip.text.size(), 20u) << probe->name;
    // What else this machine does may hide all of a probe's times: a simulator's shortest run takes long, and a CPU's
    // walk beside a dispatch wants a core of its own.
    const auto hidden = static_cast<std::size_t>(std::ranges::count_if(
        observer.skips, [](const auto& skip) { return skip.text.find("measure again when ") != std::string::npos; }));
    EXPECT_GE(observer.measurements.size() + hidden, 1u)
        << probe->name << (observer.skips.empty() ? "" : ": " + observer.skips.front().text);
    EXPECT_GE(observer.measurements.size() + observer.skips.size(), observer.plans.front().size()) << probe->name;
    for (const measure::Measurement& measurement : observer.measurements) {
      EXPECT_GE(measurement.values.size(), 3u) << probe->name << " " << measurement.unit;
      EXPECT_GT(*std::max_element(measurement.values.begin(), measurement.values.end()), 0) << probe->name;
    }
  }
}

TEST_P(ProbeOnDevice, EveryOrderOfTheLatencyWalkIsProved) {
  const std::vector<std::map<std::string, std::string>> orders{
      {}, {{"order", "independent"}}, {{"order", "page"}}, {{"order", "page"}, {"stride", "64K"}}};
  for (const std::map<std::string, std::string>& order : orders) {
    measure::Point point{.series = {{"path", "vector"}, {"memory", "device"}}, .x = {{"bytes", 1 << 20}}};
    point.series.insert(order.begin(), order.end());
    const measure::Workload walk = probes::latency.prepare(*device, point, {.seed = 3, .line_bytes = 128});
    for (const std::uint64_t hops : {64u, 6400u, 128u}) {
      (void)walk.run(hops);
      EXPECT_EQ(walk.flaw(), std::nullopt) << testing::PrintToString(order);
    }
  }
}

TEST_P(ProbeOnDevice, TheClockCanBeSettledWithWorkThatIsProved) {
  const measure::Workload arithmetic = workloads::arithmetic_chain(*device);
  EXPECT_NO_THROW((void)measure::settle_clock(arithmetic, Nanoseconds(50e6), [] {}));
  EXPECT_EQ(arithmetic.flaw(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(, ProbeOnDevice, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
