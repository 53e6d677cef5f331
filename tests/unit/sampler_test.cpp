#include "counters/state/device_state.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "os/threads.hpp"

namespace sonde::counters {
namespace {

using Clock = Sampler::Clock;
using std::chrono::milliseconds;

/// Reads 1, 2, 3, … MHz; waits at each but the first until it may go on, at last without end.
struct Steps {
  static constexpr int all = 1 << 30;
  std::atomic<int> begun = 0;
  os::Awaited<int> allowed{1};
  std::atomic<os::ThreadId> reader = 0;

  DeviceState operator()() {
    reader = os::this_thread();
    const int number = ++begun;
    allowed.wait_until([number](int numbers) { return number <= numbers; });
    return {.cpu_clock_mhz = number};
  }

  void let_go() { allowed.set(all); }
};

std::vector<double> clocks(const std::vector<DeviceState>& readings) {
  std::vector<double> values;
  for (const DeviceState& reading : readings) values.push_back(reading.cpu_clock_mhz.value());
  return values;
}

void wait_until_begun(const Steps& steps, int count) {
  while (steps.begun < count) std::this_thread::yield();
}

TEST(Sampler, HasReadWhenItIsThere) {
  Steps steps;
  Sampler sampler([&steps] { return steps(); }, milliseconds{0});
  EXPECT_EQ(clocks(sampler.since(Clock::now())), std::vector<double>{1});
  steps.let_go();
}

TEST(Sampler, GivesWhatWasReadSinceAMoment) {
  Steps steps;
  Sampler sampler([&steps] { return steps(); }, milliseconds{0});
  const Clock::time_point start = Clock::now();
  steps.allowed.add(2);
  wait_until_begun(steps, 4);  // so 2 and 3 are done
  const std::vector<double> read = clocks(sampler.since(start));
  // The second may have begun before the clock was read.
  EXPECT_TRUE(read == (std::vector<double>{2, 3}) || read == std::vector<double>{3}) << testing::PrintToString(read);
  // Only the last reading is there since now, however often it is asked for.
  const Clock::time_point now = Clock::now();
  EXPECT_EQ(clocks(sampler.since(now)), std::vector<double>{3});
  EXPECT_EQ(clocks(sampler.since(now)), std::vector<double>{3});
  steps.let_go();
}

TEST(Sampler, ReadsOnAThreadOfItsOwnThatItNames) {
  Steps steps;
  // NOLINTNEXTLINE(misc-const-correctness): its thread goes on writing to it
  Sampler sampler([&steps] { return steps(); }, milliseconds{0});
  wait_until_begun(steps, 2);
  EXPECT_EQ(steps.reader, sampler.thread_id());
  EXPECT_NE(sampler.thread_id(), os::this_thread());
  steps.let_go();
}

TEST(Sampler, EndsAtOnceThoughItsNextReadingIsFarOff) {
  const Sampler sampler([] { return DeviceState{}; }, std::chrono::hours{24});
}

}  // namespace
}  // namespace sonde::counters
