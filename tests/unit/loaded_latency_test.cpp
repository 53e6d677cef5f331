// Latency under the device's own load: how delays are chosen, and that a model's rule comes back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/statistics.hpp"
#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/loaded_latency/loaded_latency.hpp"
#include "support/recording_observer.hpp"

namespace sonde::probes {
namespace {

using measure::Measurement;

constexpr double mib = 1 << 20;

Measurement alone(double bytes, double ns) {
  return {.point = point_on(loaded_latency_probe::walk, {.bytes = bytes, .gpu_gbps = 0}),
          .unit = "ns",
          .values = {ns, ns, ns}};
}

/// 32 MiB of cache, then memory.
std::vector<Measurement> idle_curve() {
  std::vector<Measurement> known;
  for (double bytes = mib / 2; bytes <= 128 * mib; bytes *= 2) {
    known.push_back(alone(bytes, bytes <= mib ? 40 : bytes <= 32 * mib ? 120 : 300));
  }
  return known;
}

TEST(LoadedLatencyPlan, TakesASetThatFitsTheLastCacheTwiceAndTheLargest) {
  const LoadedSets sets = loaded_sets(idle_curve());
  EXPECT_EQ(sets.memory_bytes, 128 * mib);
  ASSERT_TRUE(sets.last_cache_bytes.has_value());
  EXPECT_GT(*sets.last_cache_bytes, mib);
  EXPECT_LE(*sets.last_cache_bytes, 16 * mib);
}

TEST(LoadedLatencyPlan, WithoutACacheThereIsMemoryAlone) {
  std::vector<Measurement> known;
  for (double bytes = mib; bytes <= 64 * mib; bytes *= 2) known.push_back(alone(bytes, 100));
  EXPECT_FALSE(loaded_sets(known).last_cache_bytes.has_value());
  EXPECT_EQ(loaded_sets(known).memory_bytes, 64 * mib);
}

/// Asks until nothing is wanted; a round takes `round_ns` and each unit of delay `wait_ns`.
std::vector<double> reached(double round_ns, double wait_ns, measure::Look look) {
  std::vector<Measurement> known{alone(mib, 300)};
  const measure::Request request{.look = look};
  std::vector<double> gbps;
  for (int asked = 0; asked < 100; ++asked) {
    const auto points = loaded_points_wanted(request, known);
    if (points.empty()) break;
    for (measure::Point point : points) {
      point.x.gpu_gbps = 1e5 / (round_ns + wait_ns * point.x.delay.value());
      gbps.push_back(*point.x.gpu_gbps);
      known.push_back({.point = point, .unit = "ns", .values = {400, 400, 400}});
      known.push_back({.point = point, .unit = "GB/s", .values = {gbps.back()}});
    }
  }
  std::ranges::sort(gbps);
  return gbps;
}

TEST(LoadedLatencyPlan, PointsAreSpreadOverBandwidthWhateverADelayTakes) {
  for (const double wait_ns : {1.0, 30.0, 400.0}) {
    const std::vector<double> gbps = reached(1000, wait_ns, measure::Look::closer);
    ASSERT_EQ(gbps.size(), 8u) << wait_ns;
    double widest = gbps.front();
    for (std::size_t i = 1; i < gbps.size(); ++i) widest = std::max(widest, gbps[i] - gbps[i - 1]);
    EXPECT_LT(widest, (wait_ns == 30 ? 0.26 : 0.35) * gbps.back()) << wait_ns;
  }
}

TEST(LoadedLatencyPlan, AGapThatADelayOfOneJumpsOverIsLeft) {
  const std::vector<double> gbps = reached(10, 1000, measure::Look::closer);
  EXPECT_LE(gbps.size(), 8u);
  EXPECT_EQ(std::set<double>(gbps.begin(), gbps.end()).size(), gbps.size());
}

device::model::Description with_a_last_cache() {
  device::model::Description model;
  model.name = "with a last cache";
  model.compute_units = 16;
  model.saturated_by = 8;
  model.timer_step_ns = 10;
  model.launch_ns = 5000;
  model.memory_bytes = 1ull << 30;
  model.noise.relative = 0.005;
  model.levels.resize(3);
  model.levels[0] = {.bytes = 32 << 10,
                     .line_bytes = 128,
                     .ways = 8,
                     .scope = device::model::Scope::compute_unit,
                     .latency_ns = 30,
                     .read_gbps = 4000};
  model.levels[1] = {.bytes = 8 << 20, .line_bytes = 128, .ways = 16, .latency_ns = 120, .read_gbps = 800};
  model.levels[2] = {.latency_ns = 300, .read_gbps = 200};
  return model;
}

TEST(LoadedLatencyProbe, GivesTheModelsQueueBackInTheLastCacheAndInMemory) {
  const measure::RunnerOptions options{
      .request = {.look = measure::Look::closer, .largest_bytes = 32 << 20, .line_bytes = 128},
      .host_time = [] { return counters::HostTime{}; }};
  test::RecordingObserver observer;
  measure::run_probe(*device::model::open(with_a_last_cache()), loaded_latency, options, observer);
  for (const auto& failure : observer.failures) ADD_FAILURE() << failure.text;
  std::set<double> sets;
  for (const Measurement& one : observer.measurements) {
    if (one.unit != "ns" || !one.point.x.delay) continue;
    const double bytes = one.point.x.bytes.value();
    sets.insert(bytes);
    const bool memory = bytes > 8 * mib;
    const double share = one.point.x.gpu_gbps.value() / (memory ? 200 : 800);
    const double expected = (memory ? 300 : 120) * (1 + std::max(0.0, share - 0.6) / 0.4);
    EXPECT_NEAR(analysis::summarize(one.values).median, expected, 0.03 * expected) << bytes << " at " << share;
    if (*one.point.x.delay == 0) {
      EXPECT_NEAR(share, 1, 0.03) << bytes;
    }
  }
  EXPECT_EQ(sets.size(), 2u);
  ASSERT_EQ(observer.findings.size(), 4u);
  EXPECT_EQ(observer.findings[2].kind, &workloads::idle_latency);
  EXPECT_NEAR(observer.findings[2].value.value(), 300, 5);
  EXPECT_EQ(observer.findings[3].kind, &workloads::full_load_latency);
  EXPECT_NEAR(observer.findings[3].value.value(), 600, 18);
  EXPECT_NE(observer.findings[3].evidence.find("2 times as long as alone"), std::string::npos)
      << observer.findings[3].evidence;
}

TEST(LoadedLatencyFindings, ArePreferablyDrawnFromUndisturbedPointsAndSayWhereNot) {
  std::vector<Measurement> known{alone(16 * mib, 300)};
  known.back().state.disturbed = true;
  known.back().state.foreign_cpu = 0.25;
  const auto add = [&](double delay, double gbps, double ns, bool disturbed) {
    known.push_back(alone(16 * mib, ns));
    known.back().point.x = {.bytes = 16 * mib, .delay = delay, .gpu_gbps = gbps};
    known.back().state.disturbed = disturbed;
  };
  add(0, 100, 900, true);
  add(1, 96, 610, false);
  add(2, 50, 400, false);
  const auto findings = loaded_latency.conclude({}, known).findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].value, 300);
  EXPECT_NE(findings[0].evidence.find("other programs took 25 % of the CPU"), std::string::npos)
      << findings[0].evidence;
  EXPECT_EQ(findings[1].value, 610);
  EXPECT_EQ(findings[1].evidence.find("Meanwhile"), std::string::npos) << findings[1].evidence;
}

/// A model whose groups beside the walk claim what `change` makes of it.
class Claiming final : public device::Device {
 public:
  explicit Claiming(std::function<void(std::vector<std::uint32_t>&)> change) : change_(std::move(change)) {}
  [[nodiscard]] const device::DeviceInfo& info() const override { return sound_->info(); }
  [[nodiscard]] std::uint64_t available_bytes() override { return sound_->available_bytes(); }
  [[nodiscard]] std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override {
    return sound_->make_buffer(size_bytes, use);
  }
  [[nodiscard]] std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source,
                                                            std::uint32_t group_size,
                                                            std::span<const device::Constant> constants) override {
    return sound_->make_kernel(source, group_size, constants);
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override {
    const device::Nanoseconds time = sound_->run(kernel, launch);
    if (launch.buffers.size() == 3 && launch.groups > 1) {
      std::vector<std::uint32_t> words(launch.buffers[1]->size_bytes() / 4);
      launch.buffers[1]->read(0, std::as_writable_bytes(std::span(words)));
      change_(words);
      launch.buffers[1]->write(0, std::as_bytes(std::span(words)));
    }
    return time;
  }

 private:
  std::unique_ptr<device::Device> sound_ = device::model::open(with_a_last_cache());
  std::function<void(std::vector<std::uint32_t>&)> change_;
};

/// The reasons for which nothing beside a load was measured.
test::RecordingObserver run_on(Claiming& device) {
  const measure::RunnerOptions options{.request = {.look = measure::Look::first,
                                                   .smallest_bytes = 16 << 20,
                                                   .largest_bytes = 16 << 20,
                                                   .line_bytes = 128},
                                       .host_time = [] { return counters::HostTime{}; }};
  test::RecordingObserver observer;
  measure::run_probe(device, loaded_latency, options, observer);
  return observer;
}

TEST(LoadedLatencyProbe, AGroupThatClaimsARoundThatItDidNotReadIsAnError) {
  Claiming device([](std::vector<std::uint32_t>& cursor) { ++cursor[3]; });
  const auto observer = run_on(device);
  ASSERT_FALSE(observer.failures.empty());
  EXPECT_NE(observer.failures[0].text.find("work-group 1 beside the walk"), std::string::npos);
}

TEST(LoadedLatencyProbe, GroupsThatRunOnlyAfterTheWalkAreSkippedWithTheReason) {
  Claiming device([before = std::vector<std::uint32_t>()](std::vector<std::uint32_t>& cursor) mutable {
    before.resize(cursor.size());
    for (std::size_t word = 3; word < cursor.size(); word += 2) {
      cursor[word] = 0;
      cursor[word + 1] = before[word + 1];
    }
    before = cursor;
  });
  const auto observer = run_on(device);
  EXPECT_TRUE(observer.failures.empty());
  ASSERT_FALSE(observer.skips.empty());
  EXPECT_NE(observer.skips[0].text.find("ran nothing beside the walk"), std::string::npos);
}

TEST(LoadedLatencyProbe, ACpuOfOneCoreIsToldWhy) {
  device::DeviceInfo info;
  info.type = device::DeviceType::cpu;
  info.compute_units = 1;
  ASSERT_TRUE(loaded_latency.obstacle(info).has_value());
  EXPECT_NE(loaded_latency.obstacle(info)->find("two or more"), std::string::npos);
}

}  // namespace
}  // namespace sonde::probes
