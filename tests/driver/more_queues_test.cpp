// Copies on features of GPUs that lavapipe lacks, several queues and a family that only copies, with a clock or
// without; and without features of lavapipe that some GPUs lack. The tests of copies_test.cpp run here too, on all
// these queues.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/copy_engines.hpp"
#include "driver/device_test.hpp"
#include "driver/more_queues.hpp"
#include "kernels.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "support/recording_observer.hpp"

namespace sonde::device {
namespace {

constexpr std::uint64_t size_bytes = 64 << 10;

class MoreQueues : public testing::Test {
 protected:
  /// Opens the device; the test is skipped where there is no driver.
  void open(const test::MoreQueues& looks) {
    test::more_queues = looks;
    try {
      device = test::open_device("vulkan");
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << "No driver: " << reason.what();
    }
  }
  void close() {
    buffers.clear();
    host.reset();
    device.reset();
  }
  ~MoreQueues() override {
    close();
    test::more_queues = {};
  }

  /// Lists that each fill a buffer of their own from the same host memory.
  std::vector<CopyList> lists(std::size_t count, std::size_t copies = 1) {
    host = device->copy_engines().make_host_memory(HostKind::pinned, size_bytes);
    std::ranges::fill(host->bytes(), std::byte{0x5A});
    buffers.clear();
    std::vector<CopyList> all;
    for (std::size_t list = 0; list < count; ++list) {
      buffers.push_back(device->make_buffer(size_bytes));
      buffers.back()->write(0, std::vector<std::byte>(size_bytes));
      all.emplace_back(copies,
                       Copy{.from = {.host = host.get()}, .to = {.buffer = buffers.back().get()}, .bytes = size_bytes});
    }
    return all;
  }

  void expect_copied() {
    for (const auto& buffer : buffers) {
      std::vector<std::byte> found(size_bytes);
      buffer->read(0, found);
      EXPECT_EQ(std::ranges::count(found, std::byte{0x5A}), size_bytes);
    }
  }

  BesideTimes run_beside(CopyEngine engine) {
    const auto kernel = device->make_kernel(kernels::alu_chain, 1);
    const auto state = device->make_buffer(8);
    const std::array<std::uint32_t, 2> start{7, 0};
    state->write(0, std::as_bytes(std::span(start)));
    const CopyList list = lists(1).front();
    const BesideTimes times =
        device->copy_engines().run_beside(engine, list, *kernel, {.buffers = {state.get()}, .scalars = {2000, 3, 5}});
    std::array<std::uint32_t, 2> found{};
    state->read(0, std::as_writable_bytes(std::span(found)));
    EXPECT_EQ(found[1], 2000u);
    return times;
  }

  test::RecordingObserver probed(const measure::Probe& probe, std::uint64_t largest_bytes) {
    test::RecordingObserver observer;
    measure::run_probe(*device, probe,
                       {.request = {.look = measure::Look::first, .largest_bytes = largest_bytes},
                        .host_time = [] { return counters::HostTime{}; }},
                       observer);
    for (const auto& failure : observer.failures) ADD_FAILURE() << failure.text;
    return observer;
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<HostBlock> host;
  std::vector<std::unique_ptr<Buffer>> buffers;
};

TEST_F(MoreQueues, AreNamedAndCounted) {
  open({});
  const CopyQueues drivers = device->copy_engines().queues(CopyEngine::driver);
  EXPECT_EQ(drivers.count, 3u);
  EXPECT_TRUE(drivers.has_clock);
  const CopyQueues transfer = device->copy_engines().queues(CopyEngine::transfer);
  EXPECT_EQ(transfer.count, 2u);
  EXPECT_EQ(transfer.name, "queue family 1 (transfer)");
  EXPECT_FALSE(transfer.has_clock);
}

TEST_F(MoreQueues, CopySideBySideWhetherTheirFamilyHasAClockOrNot) {
  for (const std::uint32_t bits : {0u, 36u}) {
    open({.transfer_timestamp_bits = bits});
    for (int again = 0; again < 3; ++again) {
      const CopyTimes times = device->copy_engines().run(CopyEngine::transfer, lists(2));
      ASSERT_EQ(times.each.size(), 2u);
      if (bits == 0) {
        for (const Nanoseconds& each : times.each) {
          EXPECT_GT(each.count(), 0);
          EXPECT_LE(each, times.all);
        }
      }
      expect_copied();
    }
    close();
  }
}

TEST_F(MoreQueues, StampsThemselvesAreNotInTheTime) {
  open({.transfer_timestamp_bits = 64, .stamps_ticks = 5000});
  for (const CopyEngine engine : {CopyEngine::driver, CopyEngine::transfer}) {
    const CopyTimes times = device->copy_engines().run(engine, lists(1, 7));
    EXPECT_DOUBLE_EQ(times.all.count(), 700 * device->info().timer_step_ns);
    EXPECT_DOUBLE_EQ(times.each.at(0).count(), 700 * device->info().timer_step_ns);
  }
  EXPECT_DOUBLE_EQ(run_beside(CopyEngine::transfer).copies.count(), 100 * device->info().timer_step_ns);
}

TEST_F(MoreQueues, CopyBesideAKernelOnAnyQueueButItsOwn) {
  open({.transfer_timestamp_bits = 64, .keeps_fences = true});
  for (const CopyEngine engine : {CopyEngine::driver, CopyEngine::transfer}) {
    const BesideTimes times = run_beside(engine);
    EXPECT_TRUE(times.kernel_outlasted);
    EXPECT_GT(times.kernel.count(), 0);
    expect_copied();
  }
  test::more_queues.keeps_fences = false;
  EXPECT_FALSE(run_beside(CopyEngine::transfer).kernel_outlasted) << "the real queue takes them after it";
}

TEST_F(MoreQueues, AKernelThatIsNeverSeenToBeginIsNotWaitedForForEver) {
  open({.transfer_timestamp_bits = 64, .shows_events = false});
  try {
    (void)run_beside(CopyEngine::driver);
    ADD_FAILURE() << "times of a kernel that did not begin";
  } catch (const Unsupported& reason) {
    EXPECT_NE(std::string(reason.what()).find("no kernel began within 2 seconds"), std::string::npos) << reason.what();
  }
  test::more_queues.shows_events = true;
  (void)run_beside(CopyEngine::driver);  // and the device goes on
  expect_copied();
}

TEST_F(MoreQueues, ThoseThatOnlyCopyAreMeasured) {
  for (const std::uint32_t bits : {0u, 64u}) {
    open({.transfer_timestamp_bits = bits});
    const auto observer = probed(probes::copying, size_bytes);
    std::vector<std::string> seen;
    const auto see = [&seen](const measure::Point& point) {
      if (point.words.engine != measure::Engine::transfer) return;
      seen.push_back(measure::word_at(point.words, "direction").value() + (point.x.queues ? " on two" : ""));
    };
    for (const auto& one : observer.measurements) {
      see(one.point);
      EXPECT_GT(analysis::quantile(one.values, 0.5), 0);
    }
    // On a busy machine reading the clock may take longer than such small copies.
    for (const auto& skip : observer.skips) {
      if (skip.point && skip.text.find("larger ones are measured") != std::string::npos) see(*skip.point);
    }
    for (const char* way : {"to-device", "to-host", "within", "both", "to-device on two", "to-host on two"}) {
      EXPECT_NE(std::ranges::count(seen, way), 0) << way << ", " << bits << " bits";
    }
    for (const auto& skip : observer.skips) EXPECT_GT(skip.text.size(), 20u);
    close();
  }
}

TEST_F(MoreQueues, WithoutImportedMemoryAllElseIsMeasuredAndItIsSkippedOnceWithItsReason) {
  const measure::Name imported_host = "imported-host";
  open({.transfer_timestamp_bits = 64, .imports_memory = false});
  for (const measure::Probe* probe : {&probes::host_memory, &probes::zero_copy, &probes::copying}) {
    const auto observer = probed(*probe, 16 << 20);
    int skipped = 0;
    for (const auto& skip : observer.skips) {
      ASSERT_TRUE(skip.point);
      const measure::Words& words = skip.point->words;
      if (words.memory != imported_host && words.host != measure::HostMemory::imported) continue;
      ++skipped;
      EXPECT_NE(skip.text.find("VK_EXT_external_memory_host"), std::string::npos) << skip.text;
    }
    EXPECT_EQ(skipped, 1) << probe->name;
    EXPECT_FALSE(observer.measurements.empty()) << probe->name;
    for (const auto& one : observer.measurements) {
      EXPECT_NE(one.point.words.memory, imported_host);
    }
  }
}

}  // namespace
}  // namespace sonde::device
