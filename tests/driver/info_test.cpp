// The device contract, the facts that a driver states; and every probe's smallest points on a real driver.

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "driver/device_test.hpp"
#include "measure/runner.hpp"
#include "measure/settle.hpp"
#include "probes/catalog.hpp"
#include "probes/latency/latency.hpp"
#include "support/recording_observer.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::device {
namespace {

class DeviceStates : public test::DeviceTest {};

TEST_P(DeviceStates, WhatItIs) {
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

TEST_P(DeviceStates, ThatPoclAndLlvmpipeAreCpus) {
  const DeviceInfo& info = device->info();
  if (info.platform == "rusticl") GTEST_SKIP() << "it drives CPUs and GPUs";
  const bool renders_on_the_cpu = info.platform == "Portable Computing Language" || info.platform == "llvmpipe";
  EXPECT_EQ(info.type == DeviceType::cpu, renders_on_the_cpu) << info.platform;
  if (renders_on_the_cpu) {
    EXPECT_TRUE(info.unified_memory);
  }
}

TEST_P(DeviceStates, ItsIdentityInOneSpelling) {
  const DeviceInfo& info = device->info();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  EXPECT_TRUE(info.uuid.empty() || info.uuid.size() == 32) << info.uuid;
  EXPECT_TRUE(std::all_of(info.uuid.begin(), info.uuid.end(), is_digit)) << info.uuid;
  EXPECT_TRUE(info.pci.empty() || info.pci.size() == 12) << info.pci;
}

TEST_P(DeviceStates, ThatThereIsMemoryAndNotMoreThanItHas) {
  EXPECT_GT(device->available_bytes(), 0u);
  EXPECT_LE(device->available_bytes(), device->info().memory_bytes);
}

INSTANTIATE_TEST_SUITE_P(, DeviceStates, test::every_device, test::name_of_device);

class ProbeOnDevice : public test::DeviceTest {};

const measure::Probe* asked = nullptr;
std::size_t points_asked_for = 0;

/// The two smallest points of the probe's first batch, each visited once.
std::vector<measure::Point> first_two(const DeviceInfo& info, const measure::Request& request,
                                      std::span<const measure::Measurement> known) {
  if (!known.empty()) return {};
  auto points = asked->next(info, request, known);
  std::ranges::stable_sort(points, {}, [](const measure::Point& point) { return point.x.bytes.value_or(0); });
  if (points.size() > 2) points.resize(2);
  for (measure::Point& point : points) point.visits = 1;
  points_asked_for = points.size();
  return points;
}

/// A frame smaller than the built-in one, which takes a simulator of GPUs minutes.
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
    measure::Request request{.look = measure::Look::first, .frame = small_frame()};
    // The proof reads every copied byte, which takes a simulator of GPUs minutes.
    if (probe->name == "copy") request.largest_bytes = 4096;
    // Host time stands still, so that other work on this machine does not decide how much is measured.
    measure::run_probe(*device, small, {.request = request, .host_time = [] { return counters::HostTime{}; }},
                       observer);
    for (const auto& failure : observer.failures) ADD_FAILURE() << probe->name << ": " << failure.text;
    // A device may lack one of the two points, but then the skip has a reason.
    for (const auto& skip : observer.skips) EXPECT_GT(skip.text.size(), 20u) << probe->name;
    // Other work on this machine may hide all of a probe's times: a simulator's shortest run takes long, a CPU's walk
    // beside a dispatch wants a core of its own, and reading the clock may take longer than a small copy.
    const auto hidden = static_cast<std::size_t>(std::ranges::count_if(observer.skips, [](const auto& skip) {
      return skip.text.find("measure again when ") != std::string::npos ||
             skip.text.find("larger ones are measured") != std::string::npos;
    }));
    EXPECT_GE(observer.measurements.size() + hidden, 1u)
        << probe->name << (observer.skips.empty() ? "" : ": " + observer.skips.front().text);
    EXPECT_GE(observer.measurements.size() + observer.skips.size(), points_asked_for) << probe->name;
    for (const measure::Measurement& measurement : observer.measurements) {
      EXPECT_GE(measurement.values.size(), 3u) << probe->name << " " << measurement.unit;
      // A kernel over a few words may be shorter than a step of a driver's clock.
      const bool may_be_zero = probe->name == "zero-copy";
      const double most = *std::max_element(measurement.values.begin(), measurement.values.end());
      EXPECT_TRUE(most > 0 || (may_be_zero && most == 0)) << probe->name << ": " << most;
    }
  }
}

TEST_P(ProbeOnDevice, EveryOrderOfTheLatencyWalkIsProved) {
  using namespace probes::latency_probe;
  const measure::Coordinates x{.bytes = 1 << 20};
  measure::Words far_pages = vector_path;
  far_pages.stride_bytes = 64 << 10;
  for (const measure::Point& point :
       {measure::point_on(cycle, x, vector_path), measure::point_on(independent, x, vector_path),
        measure::point_on(pages, x, vector_path), measure::point_on(pages, x, far_pages)}) {
    const auto workload = point.curve->prepare(*device, point, {.seed = 3, .line_bytes = 128});
    const auto& walk = std::get<measure::SteppedWork>(workload.work);
    for (const std::uint64_t hops : {64u, 6400u, 128u}) {
      (void)walk.run(hops);
      EXPECT_EQ(walk.proof_failure(), std::nullopt) << point.curve->name;
    }
  }
}

TEST_P(ProbeOnDevice, TheClockCanBeSettledWithWorkThatIsProved) {
  const auto workload = workloads::arithmetic_chain(*device);
  const auto& arithmetic = std::get<measure::SteppedWork>(workload.work);
  EXPECT_NO_THROW((void)measure::settle_clock(arithmetic, Nanoseconds(50e6), [] {}));
  EXPECT_EQ(arithmetic.proof_failure(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(, ProbeOnDevice, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
