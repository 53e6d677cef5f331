// The device contract, copies: the contents of memory after them, whatever the direction, the place and the queue. No
// test looks at a time, except that each copy has one.

#include "device/copy_engines.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "driver/device_test.hpp"
#include "kernels.hpp"

namespace sonde::device {
namespace {

constexpr std::uint64_t size_bytes = 64 << 10;

class DeviceCopies : public test::DeviceTest {
 protected:
  std::unique_ptr<Buffer> filled(std::uint8_t seed) {
    auto buffer = device->make_buffer(size_bytes);
    buffer->write(0, noisy(seed));
    return buffer;
  }

  static std::vector<std::byte> noisy(std::uint8_t seed) {
    std::vector<std::byte> bytes(size_bytes);
    std::uint32_t state = seed;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
    return bytes;
  }

  static std::vector<std::byte> contents(Buffer& buffer) {
    std::vector<std::byte> bytes(size_bytes);
    buffer.read(0, bytes);
    return bytes;
  }

  static std::vector<std::byte> contents(HostBlock& host) {
    const auto bytes = host.bytes().first(size_bytes);
    return {bytes.begin(), bytes.end()};
  }

  /// Host memory with noise in it; null where this device has no such memory.
  std::unique_ptr<HostBlock> host_with(HostKind kind, std::uint8_t seed) {
    try {
      auto host = device->copy_engines().make_host_memory(kind, size_bytes);
      std::ranges::copy(noisy(seed), host->bytes().begin());
      return host;
    } catch (const Unsupported& reason) {
      EXPECT_FALSE(std::string(reason.what()).empty());
      return nullptr;
    }
  }

  CopyTimes run(std::vector<CopyList> lists) { return device->copy_engines().run(CopyEngine::driver, lists); }
};

constexpr std::array kinds{HostKind::pageable, HostKind::pinned, HostKind::imported};

TEST_P(DeviceCopies, MoveWhatTheyAreToldToAndNothingElse) {
  int tried = 0;
  for (const HostKind kind : kinds) {
    const auto host = host_with(kind, 1);
    if (!host) continue;
    ++tried;
    const auto buffer = filled(2);
    const Copy there{.from = {.host = host.get(), .offset_bytes = 4096},
                     .to = {.buffer = buffer.get(), .offset_bytes = 8192},
                     .bytes = 12288};
    const CopyTimes times = run({{there}});
    ASSERT_EQ(times.each.size(), 1u);
    EXPECT_GE(times.all.count(), 0);
    std::vector<std::byte> expected = noisy(2);
    std::copy_n(noisy(1).begin() + 4096, 12288, expected.begin() + 8192);
    EXPECT_EQ(contents(*buffer), expected) << static_cast<int>(kind);

    const Copy back{.from = {.buffer = buffer.get(), .offset_bytes = 8192},
                    .to = {.host = host.get(), .offset_bytes = 32768},
                    .bytes = 4096};
    (void)run({{back}});
    expected = noisy(1);
    std::copy_n(noisy(1).begin() + 4096, 4096, expected.begin() + 32768);
    EXPECT_EQ(contents(*host), expected) << static_cast<int>(kind);
  }
  EXPECT_GT(tried, 0);
}

TEST_P(DeviceCopies, OfAListComeOneAfterTheOther) {
  const auto host = host_with(HostKind::pinned, 1);
  ASSERT_TRUE(host);
  const auto first = filled(2);
  const auto second = filled(3);
  CopyList chain;
  for (int lap = 0; lap < 20; ++lap) {
    chain.push_back({.from = {.host = host.get()}, .to = {.buffer = first.get()}, .bytes = size_bytes});
    chain.push_back({.from = {.buffer = first.get()}, .to = {.buffer = second.get()}, .bytes = size_bytes});
    chain.push_back({.from = {.buffer = second.get()},
                     .to = {.host = host.get(), .offset_bytes = 4096},
                     .bytes = size_bytes - 4096});
  }
  (void)run({chain});
  // Every lap moves the contents on by a page, and begins with what the lap before left.
  std::vector<std::byte> expected = noisy(1);
  std::vector<std::byte> on_device;
  for (int lap = 0; lap < 20; ++lap) {
    on_device = expected;
    std::copy_n(on_device.begin(), size_bytes - 4096, expected.begin() + 4096);
  }
  EXPECT_EQ(contents(*host), expected);
  EXPECT_EQ(contents(*second), on_device);
}

TEST_P(DeviceCopies, RunOnSeveralQueuesAtOnce) {
  const std::uint32_t queues = std::min(4u, device->copy_engines().queues(CopyEngine::driver).count);
  std::vector<std::unique_ptr<HostBlock>> hosts;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<CopyList> lists;
  for (std::uint32_t queue = 0; queue < queues; ++queue) {
    hosts.push_back(host_with(HostKind::pinned, static_cast<std::uint8_t>(1 + queue)));
    buffers.push_back(filled(9));
    lists.push_back(
        {{.from = {.host = hosts.back().get()}, .to = {.buffer = buffers.back().get()}, .bytes = size_bytes}});
  }
  for (int again = 0; again < 3; ++again) {
    const CopyTimes times = run(lists);
    EXPECT_EQ(times.each.size(), queues);
    for (const Nanoseconds& each : times.each) EXPECT_LE(each.count(), times.all.count() * 1.5 + 1e6);
  }
  for (std::uint32_t queue = 0; queue < queues; ++queue) {
    EXPECT_EQ(contents(*buffers[queue]), noisy(static_cast<std::uint8_t>(1 + queue))) << queue;
  }
}

TEST_P(DeviceCopies, MoreListsThanQueuesAreRefused) {
  const std::uint32_t queues = device->copy_engines().queues(CopyEngine::driver).count;
  EXPECT_THROW((void)run(std::vector<CopyList>(queues + 1)), Unsupported);
}

TEST_P(DeviceCopies, ThroughAQueueThatOnlyCopiesOrTheReasonWhyNot) {
  try {
    const CopyQueues queues = device->copy_engines().queues(CopyEngine::transfer);
    EXPECT_GT(queues.count, 0u);
    const auto host = host_with(HostKind::pinned, 1);
    const auto buffer = filled(2);
    const CopyList list{{.from = {.host = host.get()}, .to = {.buffer = buffer.get()}, .bytes = size_bytes}};
    (void)device->copy_engines().run(CopyEngine::transfer, std::span(&list, 1));
    EXPECT_EQ(contents(*buffer), noisy(1));
  } catch (const Unsupported& reason) {
    EXPECT_GT(std::string(reason.what()).size(), 20u);
  }
}

TEST_P(DeviceCopies, BesideAKernelBothDoTheirWork) {
  const auto host = host_with(HostKind::pinned, 1);
  const auto buffer = filled(2);
  const auto kernel = device->make_kernel(kernels::alu_chain, 1);
  const auto state = device->make_buffer(8);
  const std::array<std::uint32_t, 2> start{7, 0};
  state->write(0, std::as_bytes(std::span(start)));
  const CopyList list{{.from = {.host = host.get()}, .to = {.buffer = buffer.get()}, .bytes = size_bytes}};
  try {
    (void)device->copy_engines().run_beside(CopyEngine::driver, list, *kernel,
                                            {.buffers = {state.get()}, .scalars = {2000, 3, 5}});
  } catch (const Unsupported& reason) {
    EXPECT_GT(std::string(reason.what()).size(), 20u);
    return;
  }
  EXPECT_EQ(contents(*buffer), noisy(1));
  std::array<std::uint32_t, 2> found{};
  state->read(0, std::as_writable_bytes(std::span(found)));
  EXPECT_EQ(found[1], 2000u);
}

INSTANTIATE_TEST_SUITE_P(, DeviceCopies, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
