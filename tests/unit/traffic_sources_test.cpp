// Sources opened with a kernel of the test's own, on trees of known machines.
#include "counters/traffic/sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "counters/traffic/hit_rate.hpp"
#include "counters/traffic/rates.hpp"
#include "support/counter_trees.hpp"

namespace sonde::counters {
namespace {

constexpr std::uint64_t tick_ns = 1'000'000;

/// A kernel in which every event counts as fast as the test says, by its configuration word.
struct FakeKernel {
  std::uint64_t now_ns = 0;
  std::map<std::uint32_t, std::size_t> counters_of;  ///< by type; any number where it is not named
  std::map<std::uint32_t, std::error_code> refused;  ///< by type
  bool accepts_too_many = false;                     ///< and never counts them, as before 6.12
  std::function<std::uint64_t(const os::PerfEvent&)> counts_per_tick = [](const os::PerfEvent&) { return 1000; };
  std::size_t most_events = 0;
  int counting = 0;  ///< groups of type 11 that are enabled now
  int most_counting = 0;

  std::unique_ptr<EventGroup> open(std::span<const os::PerfEvent> events, std::error_code& problem);
  OpenGroup opener() {
    return
        [this](std::span<const os::PerfEvent> events, int, std::error_code& problem) { return open(events, problem); };
  }
  std::function<void()> wait() {
    return [this] { now_ns += 20 * tick_ns; };
  }
};

class FakeGroup final : public EventGroup {
 public:
  FakeGroup(FakeKernel& kernel, std::span<const os::PerfEvent> events, bool placed)
      : kernel_(kernel), events_(events.begin(), events.end()), placed_(placed), values_(events.size()) {}
  ~FakeGroup() override { (void)FakeGroup::disable(); }

  std::error_code enable() noexcept override {
    if (!enabled_ && events_[0].type == 11) kernel_.most_counting = std::max(kernel_.most_counting, ++kernel_.counting);
    enabled_ = true;
    since_ns_ = kernel_.now_ns;
    return {};
  }
  std::error_code disable() noexcept override {
    count();
    if (enabled_ && events_[0].type == 11) --kernel_.counting;
    enabled_ = false;
    return {};
  }
  std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept override {
    count();
    std::ranges::copy(values_, values.begin());
    times = {.enabled_ns = enabled_ns_, .running_ns = placed_ ? enabled_ns_ : 0};
    return {};
  }

 private:
  void count() {
    const std::uint64_t passed = enabled_ ? kernel_.now_ns - since_ns_ : 0;
    since_ns_ = kernel_.now_ns;
    enabled_ns_ += passed;
    for (std::size_t event = 0; placed_ && event < events_.size(); ++event)
      values_[event] += kernel_.counts_per_tick(events_[event]) * passed / tick_ns;
  }

  FakeKernel& kernel_;
  std::vector<os::PerfEvent> events_;
  bool placed_;
  bool enabled_ = false;
  std::uint64_t since_ns_ = 0;
  std::uint64_t enabled_ns_ = 0;
  std::vector<std::uint64_t> values_;
};

std::unique_ptr<EventGroup> FakeKernel::open(std::span<const os::PerfEvent> events, std::error_code& problem) {
  const std::uint32_t type = events[0].type;
  problem.clear();
  if (const auto found = refused.find(type); found != refused.end()) {
    problem = found->second;
    return nullptr;
  }
  const auto limit = counters_of.find(type);
  const bool fits = limit == counters_of.end() || events.size() <= limit->second;
  if (!fits && !accepts_too_many) {
    problem = std::make_error_code(std::errc::invalid_argument);
    return nullptr;
  }
  most_events = std::max(most_events, events.size());
  return std::make_unique<FakeGroup>(*this, events, fits);
}

unsigned station_of(std::uint64_t word) {
  const std::uint64_t event = (word & 0xFFu) | (word >> 32 & 0x3Fu) << 8;
  return static_cast<unsigned>(event >> 6);
}

/// Strix Halo: 16 stations and memory controllers, two CPU stations with an interface each, 8 counters of the fabric.
/// The fabric moves four times what memory does.
FakeKernel strix_halo() {
  FakeKernel kernel;
  kernel.counters_of[11] = 8;
  kernel.counts_per_tick = [](const os::PerfEvent& event) -> std::uint64_t {
    if (event.type == 11) {
      const unsigned station = station_of(event.config);
      const bool second_interface = (event.config & 0x3Fu) == 0x1F;
      if (station < 16) return 4000;
      return station < 18 && !second_interface ? 20 : 0;
    }
    return event.config == 0 ? 4'000'000 : 1000;
  };
  return kernel;
}

OpenedSource open(const Plan& plan, const test::FakeTree& tree, FakeKernel& kernel) {
  return open_plan(plan, tree.root(), kernel.opener(), kernel.wait());
}

std::size_t count_of(const Layout& layout, Role role) {
  return static_cast<std::size_t>(
      std::ranges::count_if(layout.counters, [role](const Counter& counter) { return counter.role == role; }));
}

/// What a source says of so many ticks, by the fake kernel's clock.
Traffic traffic_of(CounterSource& source, FakeKernel& kernel, std::size_t ticks) {
  Reading before = source.layout().empty_reading();
  Reading after = before;
  source.read(before);
  source.pass_the_turn_on();
  before.before_ns = before.after_ns = static_cast<std::int64_t>(kernel.now_ns);
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    kernel.now_ns += tick_ns;
    source.read(after);
    source.pass_the_turn_on();
  }
  after.before_ns = after.after_ns = static_cast<std::int64_t>(kernel.now_ns);
  return traffic_between(before, after, source.layout());
}

TEST(TrafficSources, StationsOfStrixHaloAreFoundAndTakeTurns) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source) << opened.why_not;
  const Layout& layout = opened.source->layout();
  EXPECT_EQ(count_of(layout, Role::fabric_read), 16u);
  EXPECT_EQ(count_of(layout, Role::fabric_write), 16u);
  EXPECT_EQ(count_of(layout, Role::cpu_read), 2u);
  EXPECT_EQ(count_of(layout, Role::memory_read), 16u);
  EXPECT_EQ(layout.turns, 5u);  // 36 events, 8 at once
  EXPECT_EQ(layout.groups, 5u + 16u);
  EXPECT_EQ(kernel.most_events, 8u);
  EXPECT_EQ(kernel.most_counting, 1);  // never two for the same counters
  EXPECT_EQ(layout.missing, std::vector<std::string>{});
}

TEST(TrafficSources, TurnsGiveTheWholeTraffic) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  const Traffic traffic = traffic_of(*opened.source, kernel, opened.source->layout().turns);
  EXPECT_NEAR(traffic.amounts[Role::fabric_read].value(), 16 * 4000 * 64.0 * 5, 1);
  EXPECT_NEAR(traffic.amounts[Role::cpu_read].value(), 2 * 20 * 32.0 * 5, 1);
  EXPECT_NEAR(traffic.amounts[Role::memory_read].value(), 16 * 1000 * 64.0 * 5, 1);
  EXPECT_NEAR(traffic.scale, 5, 1e-9);
  EXPECT_NEAR(traffic.spread.value(), 0, 1e-9);
  const double cpu = 2 * 20 * (32.0 + 64);
  EXPECT_NEAR(hit_rate(traffic, "").reads_and_writes.value(),
              1 - (2 * 16 * 1000 * 64.0 - cpu) / (2 * 16 * 4000 * 64.0 - cpu), 1e-9);
}

TEST(TrafficSources, ADesktopsStationsAreCountedAllTheTime) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  FakeKernel kernel = strix_halo();
  kernel.counters_of[11] = 16;
  kernel.counts_per_tick = [](const os::PerfEvent& event) -> std::uint64_t {
    return event.type != 11 || station_of(event.config) < 2 || station_of(event.config) == 16 ? 1000 : 0;
  };
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  EXPECT_EQ(count_of(opened.source->layout(), Role::fabric_read), 2u);
  EXPECT_EQ(opened.source->layout().turns, 1u);
  const Traffic traffic = traffic_of(*opened.source, kernel, 1);
  EXPECT_EQ(traffic.labels, std::set<Label>{});
  EXPECT_EQ(traffic.amounts[Role::memory_read], 2 * 1000 * 64.0);
}

TEST(TrafficSources, AnOlderKernelTakesTooManyEventsAndIsSeenNotToCount) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  FakeKernel kernel = strix_halo();
  kernel.accepts_too_many = true;
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  EXPECT_EQ(opened.source->layout().turns, 5u);
}

TEST(TrafficSources, WithoutMemoryControllersThereIsNoHitRateAndAReason) {
  const test::FakeTree tree;
  test::write_zen4(tree, 0);
  FakeKernel kernel = strix_halo();
  const OpenedSource opened = open(amd_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  ASSERT_EQ(opened.source->layout().missing.size(), 1u);
  EXPECT_NE(opened.source->layout().missing[0].find("6.7"), std::string::npos);
  EXPECT_FALSE(hit_rate(traffic_of(*opened.source, kernel, 5), "").reads_and_writes);
}

TEST(TrafficSources, Zen2CountsWithoutAHitRate) {
  const test::FakeTree tree;
  test::write_zen2(tree);
  FakeKernel kernel;
  kernel.counters_of[11] = 4;
  const OpenedSource opened = open(amd_before_zen4_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  EXPECT_EQ(opened.source->layout().turns, 2u);
  const Traffic traffic = traffic_of(*opened.source, kernel, 2);
  EXPECT_NEAR(traffic.amounts[Role::uncalibrated].value(), 8 * 1000 * 2, 1e-6);
  EXPECT_FALSE(traffic.amounts[Role::memory_read]);
  const HitRate rate = hit_rate(traffic, opened.source->layout().no_hit_rate);
  EXPECT_FALSE(rate.reads_and_writes);
  EXPECT_NE(rate.why_not.find("Zen 1 to 3"), std::string::npos);
}

TEST(TrafficSources, IntelsTwoControllersAreOneMemory) {
  const test::FakeTree tree;
  test::write_tiger_lake_or_later(tree, 189);
  FakeKernel kernel;
  const OpenedSource opened = open(intel_data_plan, tree, kernel);
  ASSERT_TRUE(opened.source);
  const Traffic traffic = traffic_of(*opened.source, kernel, 1);
  EXPECT_EQ(traffic.amounts[Role::memory_read], 2 * 1000 * 32.0);
  EXPECT_NE(opened.source->layout().no_hit_rate, "");
}

/// Why a Strix Halo without its fabric's counters gives nothing.
std::string refusal(std::errc problem, const std::string& paranoid = "2\n") {
  const test::FakeTree tree;
  test::write_zen4(tree, 1);
  tree.write("proc/sys/kernel/perf_event_paranoid", paranoid);
  FakeKernel kernel;
  for (const std::uint32_t type : {11u, 20u}) kernel.refused[type] = std::make_error_code(problem);
  const OpenedSource opened = open(amd_plan, tree, kernel);
  EXPECT_FALSE(opened.source);
  return opened.why_not;
}

TEST(TrafficSources, APermissionIsNamedWithTheCommandThatGivesIt) {
  const std::string why = refusal(std::errc::permission_denied, "4\n");
  EXPECT_NE(why.find("kernel.perf_event_paranoid is 4"), std::string::npos) << why;
  EXPECT_NE(why.find("sudo sysctl kernel.perf_event_paranoid=0"), std::string::npos);
  EXPECT_NE(why.find("sudo setcap cap_perfmon+ep"), std::string::npos);
}

TEST(TrafficSources, OtherRefusalsAreSentencesToo) {
  EXPECT_NE(refusal(std::errc::no_such_file_or_directory).find("another machine's"), std::string::npos);
  EXPECT_NE(refusal(std::errc::invalid_argument).find("refuses"), std::string::npos);
  EXPECT_NE(refusal(std::errc::too_many_files_open).find("ulimit -n"), std::string::npos);
}

TEST(TrafficSources, AnotherMachinesTreeIsNotOpenedHere) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  const OpenedSource opened = open_traffic(tree.root());
  EXPECT_FALSE(opened.source);
  EXPECT_NE(opened.why_not.find("another machine's"), std::string::npos);
}

}  // namespace
}  // namespace sonde::counters
