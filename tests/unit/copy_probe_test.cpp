// The copy probe on a model whose rates, latency and engines are known, and on one that loses or alters what
// it copies.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/statistics.hpp"
#include "device/copy_engines.hpp"
#include "device/model/model.hpp"
#include "device/model/timing.hpp"
#include "measure/repetitions.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/copy/copy.hpp"
#include "support/recording_observer.hpp"

namespace sonde::probes {
namespace {

using measure::Direction;
using measure::Engine;
using measure::HostMemory;

/// Words of copies by the driver.
measure::Words copies(HostMemory host, Direction direction = Direction::to_device) {
  return {.direction = direction, .engine = Engine::driver, .host = host};
}
constexpr measure::Words copies_within{.direction = Direction::within, .engine = Engine::driver};
constexpr measure::Words driver_alone{.engine = Engine::driver};

device::model::Description model_with(std::uint32_t engines, double latency_us = 12) {
  device::model::Description model;
  model.name = "copies";
  model.compute_units = 4;
  model.saturated_by = 4;
  model.memory_bytes = 1ull << 30;
  model.launch_ns = 3000;
  model.timer_step_ns = 10;
  model.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3};
  model.levels.resize(2);
  model.levels[0] = {.bytes = 1 << 20, .line_bytes = 128, .latency_ns = 40, .read_gbps = 500, .write_gbps = 200};
  model.levels[1] = {.latency_ns = 300, .read_gbps = 210, .write_gbps = 190};
  model.copy = {.to_device_gbps = 84, .to_host_gbps = 45, .latency_us = latency_us, .engines = engines};
  return model;
}

measure::RunnerOptions options(std::uint64_t largest_bytes) {
  return {.request = {.look = measure::Look::first, .largest_bytes = largest_bytes},
          .host_time = [] { return counters::HostTime{}; }};
}

test::RecordingObserver run(device::Device& device, std::uint64_t largest_bytes = 16 << 20) {
  test::RecordingObserver observer;
  measure::run_probe(device, copying, options(largest_bytes), observer);
  return observer;
}

std::optional<measure::Finding> finding(const test::RecordingObserver& observer, const measure::FindingKind& kind,
                                        const measure::Words& words) {
  const auto found = std::ranges::find_if(
      observer.findings, [&](const measure::Finding& one) { return one.kind == &kind && one.words == words; });
  return found == observer.findings.end() ? std::nullopt : std::optional(*found);
}

double value(const test::RecordingObserver& observer, const measure::FindingKind& kind, const measure::Words& words) {
  const auto found = finding(observer, kind, words);
  return found ? found->value.value_or(-1) : -1;
}

TEST(CopyProbe, AModelsRatesAndLatencyComeBack) {
  const auto device = device::model::open(model_with(1));
  const auto observer = run(*device);
  for (const HostMemory host : {HostMemory::pageable, HostMemory::pinned}) {
    EXPECT_NEAR(value(observer, copy_probe::bandwidth, copies(host)), 84, 2);
    EXPECT_NEAR(value(observer, copy_probe::latency, copies(host)), 12, 0.3);
    EXPECT_NEAR(value(observer, copy_probe::bandwidth, copies(host, Direction::to_host)), 45, 1);
    EXPECT_NEAR(value(observer, copy_probe::latency, copies(host, Direction::to_host)), 12, 0.3);
  }
  EXPECT_NEAR(value(observer, copy_probe::bandwidth, copies_within), 190, 4);
  EXPECT_EQ(observer.failures.size(), 0u);
}

TEST(CopyProbe, AModelsEnginesComeBack) {
  for (const std::uint32_t engines : {1u, 2u, 3u, 5u}) {
    const auto device = device::model::open(model_with(engines));
    const auto found = finding(run(*device, 1 << 20), copy_probe::engines, driver_alone);
    ASSERT_TRUE(found) << engines;
    EXPECT_EQ(found->value, engines) << found->evidence;
  }
}

TEST(CopyProbe, EnginesShowInBothDirectionsWhereCopiesHaveNoLatency) {
  for (const std::uint32_t engines : {1u, 2u}) {
    const auto device = device::model::open(model_with(engines, 0));
    const auto found = finding(run(*device, 1 << 20), copy_probe::engines, driver_alone);
    ASSERT_TRUE(found) << engines;
    EXPECT_EQ(found->value, engines) << found->evidence;
  }
}

TEST(CopyProbe, CopiesOfAModelOverlapItsKernels) {
  const auto device = device::model::open(model_with(1));
  const auto observer = run(*device, 1 << 20);
  measure::Words beside = copies(HostMemory::pinned);
  beside.beside = measure::Beside::kernel;
  EXPECT_GT(value(observer, copy_probe::overlaps_compute, beside), 0.9);
}

TEST(CopyProbe, BothDirectionsAreCountedTogetherAndApart) {
  const auto device = device::model::open(model_with(2));
  std::map<measure::Counted, double> gbps;
  for (const measure::Measurement& one : run(*device).measurements) {
    if (one.point.words.direction != Direction::both || one.point.x.bytes.value() < 16e6) continue;
    gbps[one.point.words.counted.value()] = analysis::summarize(one.values).median;
  }
  EXPECT_NEAR(gbps[measure::Counted::to_device], 84, 6);  // 16 MiB, of which 12 us are 6 %
  EXPECT_NEAR(gbps[measure::Counted::to_host], 45, 2);
  EXPECT_NEAR(gbps[measure::Counted::total], 90, 4);  // as long as the slower of two takes
}

TEST(CopyProbe, WhatADeviceCannotDoIsSkippedOnceWithItsReason) {
  const auto device = device::model::open(model_with(1));
  const auto observer = run(*device);
  std::map<std::string, int> skips;
  for (const auto& [where, reason] : observer.skips) {
    EXPECT_FALSE(reason.empty());
    ++skips[reason];
  }
  EXPECT_FALSE(skips.empty());
  for (const auto& [reason, count] : skips) EXPECT_EQ(count, 1) << reason;
}

TEST(CopyProbe, ADeviceWithoutCopiesSaysSo) {
  device::model::Description model = model_with(1);
  model.copy = {};
  const auto device = device::model::open(model);
  const auto observer = run(*device, 1 << 20);
  EXPECT_EQ(observer.failures.size(), 0u);
  bool said = false;
  for (const auto& [where, reason] : observer.skips)
    said = said || reason.find("copy.to_device_gbps") != std::string::npos;
  EXPECT_TRUE(said);
}

// With 256 MiB, what fits is measured and the rest skipped.
TEST(CopyProbe, ASmallMemoryEndsTheSizes) {
  device::model::Description model = model_with(1);
  model.memory_bytes = 256 << 20;
  const auto device = device::model::open(model);
  const auto observer = run(*device, 1 << 30);
  double largest = 0;
  for (const measure::Measurement& one : observer.measurements) largest = std::max(largest, one.point.x.bytes.value());
  EXPECT_GE(largest, 16e6);
  EXPECT_LE(largest, 256e6);
  EXPECT_EQ(observer.failures.size(), 0u);
  EXPECT_NEAR(value(observer, copy_probe::bandwidth, copies(HostMemory::pinned)), 84, 2);
}

/// What a model copies, for doubles that change how copies run.
class Passed : public device::CopyEngines {
 public:
  explicit Passed(device::CopyEngines& right) : right_(right) {}
  device::CopyQueues queues(device::CopyEngine engine) override { return right_.queues(engine); }
  std::unique_ptr<device::HostBlock> make_host_memory(device::HostKind kind, std::uint64_t bytes) override {
    return right_.make_host_memory(kind, bytes);
  }
  device::BesideTimes run_beside(device::CopyEngine engine, const device::CopyList& list, device::Kernel& kernel,
                                 const device::Launch& launch) override {
    return right_.run_beside(engine, list, kernel, launch);
  }

 protected:
  device::CopyEngines& right_;
};

/// What is wrong with copies.
enum class Fault { alters_a_byte, leaves_a_page, does_nothing };

/// A model whose copies go wrong, in the middle of the run.
class Faulty final : public Passed {
 public:
  Faulty(device::CopyEngines& right, Fault fault, Direction where) : Passed(right), fault_(fault), where_(where) {}

  device::CopyTimes run(device::CopyEngine engine, std::span<const device::CopyList> lists) override {
    const device::CopyEndpoint target = lists.front().back().to;
    const Direction direction = target.host != nullptr ? Direction::to_host : Direction::to_device;
    if (direction != where_ || ++runs_ < 3) return right_.run(engine, lists);
    if (fault_ == Fault::alters_a_byte) {
      const device::CopyTimes times = right_.run(engine, lists);
      alter(target, lists.front().back().bytes / 2 + 1);
      return times;
    }
    std::vector<device::CopyList> shortened(lists.begin(), lists.end());
    if (fault_ == Fault::leaves_a_page) {
      shortened.front().back().bytes -= copy_probe::proof_block_bytes;
      if (shortened.front().back().bytes == 0) shortened.front().pop_back();
    } else {
      shortened.front().resize(1);
      shortened.front().front().bytes = 4;
    }
    return right_.run(engine, shortened);
  }

 private:
  static void alter(const device::CopyEndpoint& place, std::uint64_t at) {
    std::byte byte{};
    if (place.buffer == nullptr) {
      place.host->bytes()[place.offset_bytes + at] ^= std::byte{0x10};
      return;
    }
    place.buffer->read(place.offset_bytes + at, std::span(&byte, 1));
    byte ^= std::byte{0x10};
    place.buffer->write(place.offset_bytes + at, std::span(&byte, 1));
  }

  Fault fault_;
  Direction where_;
  int runs_ = 0;
};

/// A model whose clock takes long to be read; what that usually takes is taken off, and once it is more, once less.
class SlowClock final : public Passed {
 public:
  SlowClock(device::CopyEngines& right, double reading_ns) : Passed(right), reading_(reading_ns) {}
  device::CopyTimes run(device::CopyEngine engine, std::span<const device::CopyList> lists) override {
    device::CopyTimes times = right_.run(engine, lists);
    const double error = ++runs_ % 2 == 0 ? 0.2 : -0.2;
    const auto read = [&](device::Nanoseconds time) {
      return std::max(device::Nanoseconds(0), time + error * reading_);
    };
    times.all = read(times.all);
    for (device::Nanoseconds& one : times.each) one = read(one);
    times.taken_off = reading_;
    return times;
  }

 private:
  device::Nanoseconds reading_;
  int runs_ = 0;
};

template <typename Copies>
class DeviceWith final : public device::Device {
 public:
  template <typename... Arguments>
  explicit DeviceWith(const device::model::Description& model, Arguments... arguments)
      : model_(device::model::open(model)), copies_(model_->copy_engines(), arguments...) {}
  const device::DeviceInfo& info() const override { return model_->info(); }
  std::uint64_t available_bytes() override { return model_->available_bytes(); }
  std::unique_ptr<device::Buffer> make_buffer(std::uint64_t bytes, device::Use use) override {
    return model_->make_buffer(bytes, use);
  }
  std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source, std::uint32_t group_size,
                                              std::span<const device::Constant> constants) override {
    return model_->make_kernel(source, group_size, constants);
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override {
    return model_->run(kernel, launch);
  }
  device::CopyEngines& copy_engines() override { return copies_; }

 private:
  std::unique_ptr<device::Device> model_;
  Copies copies_;
};
using FaultyDevice = DeviceWith<Faulty>;

/// Copies of pinned memory on one queue.
measure::Workload work_over(device::Device& device, double bytes, Direction direction = Direction::to_device) {
  const measure::Point point =
      measure::point_on(copy_probe::by_queues, {.bytes = bytes}, copies(HostMemory::pinned, direction));
  return point.curve->prepare(device, point, options(static_cast<std::uint64_t>(bytes)).request);
}

TEST(CopyProbe, OneAlteredByteFailsThePoint) {
  for (const Fault fault : {Fault::alters_a_byte, Fault::leaves_a_page, Fault::does_nothing}) {
    for (const Direction where : {Direction::to_device, Direction::to_host}) {
      for (const std::uint64_t bytes : {std::uint64_t{4096}, std::uint64_t{12288}, std::uint64_t{1} << 20}) {
        FaultyDevice device(model_with(1), fault, where);
        const measure::Workload work = work_over(device, static_cast<double>(bytes), where);
        try {
          (void)std::get<measure::SelfTimedWork>(work.work).repeat(measure::limits_of(), [] {});
          ADD_FAILURE() << bytes << " bytes, fault " << static_cast<int>(fault) << ", " << measure::word_of(where);
        } catch (const device::Error& error) {
          EXPECT_NE(std::string(error.what()).find("does not hold what was copied"), std::string::npos) << error.what();
        }
      }
    }
  }
}

// At 4 KiB a row of 128 copies takes 1.5 ms; 12 us of it are each one's latency.
TEST(CopyProbe, RowsGrowUntilReadingTheClockIsASmallPartOfThem) {
  const auto observed = [&](double reading_ns) {
    DeviceWith<SlowClock> device(model_with(1), reading_ns);
    const measure::Workload work = work_over(device, 4096);
    return std::get<measure::SelfTimedWork>(work.work).repeat(measure::limits_of(), [] {});
  };
  const measure::Repetitions usual = observed(1e3);
  const double gbps = analysis::summarize(usual.values).median;
  EXPECT_NEAR(gbps, 4096 / 12049.0, 0.01);
  const measure::Repetitions slow = observed(1e6);
  EXPECT_GT(slow.steps, 2 * usual.steps);
  EXPECT_NEAR(analysis::summarize(slow.values).median / gbps, 1, 0.1);
}

// Without a latency 512 copies of 4 KiB take 25 us, and 480 of 32 KiB 185 us.
TEST(CopyProbe, CopiesTooShortForTheClockAreSkippedAndLargerOnesMeasured) {
  DeviceWith<SlowClock> device(model_with(1, 0), 100e3);
  const auto observer = run(device, 1 << 20);
  EXPECT_EQ(observer.failures.size(), 0u);
  double least = 1e300;
  for (const measure::Measurement& one : observer.measurements) {
    if (one.point.words != copies(HostMemory::pinned) || one.point.x.queues) continue;
    least = std::min(least, one.point.x.bytes.value());
  }
  EXPECT_EQ(least, 32768);
  EXPECT_TRUE(std::ranges::any_of(observer.skips, [](const auto& skip) {
    return skip.text.find("larger ones are measured") != std::string::npos;
  }));
}

TEST(CopyProbe, AFaultIsAnErrorOfTheRun) {
  FaultyDevice device(model_with(1), Fault::alters_a_byte, Direction::to_device);
  EXPECT_GT(run(device, 1 << 20).failures.size(), 0u);
}

TEST(ModelCopies, EnginesWorkSideBySideAndShareADirection) {
  using device::model::schedule;
  using device::model::Transport;
  using Way = Transport::CopyDirection;
  device::model::Description model = model_with(2, 1);
  const Transport there{Way::to_device, 84e3};  // 1 us at the rate of the direction, and 1 us of latency
  const Transport back{Way::to_host, 45e3};
  EXPECT_NEAR(schedule(model, 100, {{there, there}}).all_ns, 4000, 1e-6);
  EXPECT_NEAR(schedule(model, 100, {{there}, {back}}).all_ns, 2000, 1e-6);
  EXPECT_NEAR(schedule(model, 100, {{there}, {there}}).all_ns, 3000, 1e-6);
  const auto both = schedule(model, 100, {{there, there}, {back}});
  EXPECT_NEAR(both.each_ns[0], 4000, 1e-6);
  EXPECT_NEAR(both.each_ns[1], 2000, 1e-6);
  model.copy.engines = 1;
  EXPECT_NEAR(schedule(model, 100, {{there}, {back}}).all_ns, 4000, 1e-6);
  EXPECT_NEAR(schedule(model, 50, {{{Way::within, 1e3}}}).all_ns, 1020, 1e-6);
  EXPECT_EQ(schedule(model, 50, {{}, {}}).all_ns, 0);
}

// Each way to copy is one declared curve: what plans and what a record is read by find the same.
TEST(CopyCurves, EveryWayHasOneCurve) {
  const auto curve_of = [](const measure::Words& words) { return find_curve("copy", words, "GB/s"); };
  EXPECT_EQ(curve_of(copies(HostMemory::pinned)), &copy_probe::by_queues);
  EXPECT_EQ(curve_of(copies_within), &copy_probe::by_queues);
  EXPECT_EQ(curve_of(copies(HostMemory::map_memcpy)), &copy_probe::by_mapping);
  EXPECT_EQ(curve_of({.direction = Direction::within, .engine = Engine::compute_shader}), &copy_probe::by_kernel);
  measure::Words both = copies(HostMemory::pinned, Direction::both);
  both.counted = measure::Counted::total;
  EXPECT_EQ(curve_of(both), &copy_probe::both_ways);
  both.counted = measure::Counted::to_host;
  EXPECT_EQ(curve_of(both), &copy_probe::to_host_of_both);
  measure::Words beside = copies(HostMemory::pinned);
  beside.beside = measure::Beside::kernel;
  EXPECT_EQ(curve_of(beside), &copy_probe::beside_kernel);
  EXPECT_EQ(find_curve("copy", beside, "ratio"), &copy_probe::overlap);
}

}  // namespace
}  // namespace sonde::probes
