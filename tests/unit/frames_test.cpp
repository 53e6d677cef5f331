// Frames: what passes move, that what they did not do is noticed, and the time that a simulated device has to take.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/frames/frames.hpp"
#include "records/input_files.hpp"
#include "support/answered_plan.hpp"
#include "support/recording_observer.hpp"
#include "support/small_model.hpp"

namespace sonde::probes {
namespace {

using measure::Frame;
using namespace frames_probe;

constexpr Resolution hd{1280, 720};
constexpr double hd_pixels = 1280.0 * 720;
constexpr Resolution tiny{256, 64};

Frame built_in() { return records::parse_frame(records::built_in_frame_text()); }

/// A texture read over two frames, a target of its size, and one of a fourth of its width and height.
Frame three_passes() {
  return {.name = "three",
          .surfaces = {{.name = "texture", .is_texture = true, .bytes_per_pixel = 16, .frames = 2},
                       {.name = "large", .bytes_per_pixel = 8},
                       {.name = "small", .bytes_per_pixel = 1, .divided_by = 4},
                       {.name = "last", .bytes_per_pixel = 4}},
          .passes = {{.name = "one", .reads = {{0, 1}}, .writes = 1},
                     {.name = "two", .reads = {{1, 3}}, .writes = 2},
                     {.name = "three", .reads = {{2, 2}, {1, 1}, {0, 1}}, .writes = 3}}};
}

measure::SteppedWork rendering(device::Device& device, const Frame& frame, const Resolution& resolution,
                               std::uint64_t seed) {
  return std::get<measure::SteppedWork>(frames_of(device, frame, resolution, seed).work);
}

device::model::Description quiet_model() {
  device::model::Description model = test::small_model(1ull << 32);
  model.launch_ns = 2000;
  model.timer_step_ns = 1;
  for (device::model::ModelLevel& level : model.levels) {
    level.read_gbps = 100;
    level.write_gbps = 50;
  }
  return model;
}

TEST(FramePasses, HaveWholeRowsOfEverySurfaceAndAsManyItemsAsCanBe) {
  const std::vector<PassWork> passes = passes_of(three_passes(), hd);
  ASSERT_EQ(passes.size(), 3u);
  // 8 bytes a pixel of each, 16 bytes an item.
  EXPECT_EQ(passes[0].items, hd_pixels * 8 / 16);
  EXPECT_EQ(passes[0].rows, 1u);
  EXPECT_EQ(passes[0].inputs[0].rows, 1u);
  // 8 bytes of the one for each sixteenth of a byte of the other.
  EXPECT_EQ(passes[1].items, hd_pixels / 16 / 16);
  EXPECT_EQ(passes[1].rows, 1u);
  EXPECT_EQ(passes[1].inputs[0].rows, 128u);
  EXPECT_EQ(passes[1].inputs[0].times, 3u);
  EXPECT_EQ(passes[1].inputs[0].step, 1280u * 8 / 16);
  EXPECT_EQ(passes[2].rows, 64u);
  EXPECT_EQ(passes[2].inputs[0].rows, 1u);
  EXPECT_EQ(passes[2].inputs[0].step, 1280u / 4 / 16);
}

TEST(FramePasses, MoveWhatTheDescriptionSays) {
  const double sixteenth = 1.0 / 16;
  EXPECT_DOUBLE_EQ(static_cast<double>(moved_bytes(three_passes(), hd)),
                   hd_pixels * ((8 + 8) + (3 * 8 + sixteenth) + (2 * sixteenth + 8 + 8 + 4)));
  EXPECT_DOUBLE_EQ(static_cast<double>(surface_bytes(three_passes(), hd)), hd_pixels * (16 + 8 + sixteenth + 4));
  // frames/deferred.json, added up by hand, pass by pass.
  const double built_in_bytes = 4 + (8 + 4 + 16) + (4 * 4 + 1) + (16 + 4 + 1 + 8) + (8 + 2) + (2 + 0.5) +
                                (9 * 0.5 + 0.5) + (8 + 8 + 4 + 8) + (8 + 0.5 + 4);
  EXPECT_DOUBLE_EQ(static_cast<double>(moved_bytes(built_in(), hd)), hd_pixels * built_in_bytes);
}

TEST(FramePasses, AreWholeVectorsAtEveryResolutionThatIsMeasured) {
  const measure::Request request{.look = measure::Look::closest, .frame = built_in()};
  const std::vector<Point> points = frames.next({}, request, {});
  ASSERT_EQ(points.size(), 8u);
  std::vector<Point> all = frames.next({.type = device::DeviceType::cpu}, request, {});
  ASSERT_EQ(all.size(), 8u);
  std::ranges::copy(points, std::back_inserter(all));
  for (const Point& point : all) {
    const Resolution one{static_cast<std::uint32_t>(point.x.width.value()),
                         static_cast<std::uint32_t>(point.x.height.value())};
    EXPECT_EQ(one.pixels() % 256, 0u);
    EXPECT_EQ(one.width / 4 % 16, 0u) << "a line of the smallest target is no whole vectors";
    EXPECT_EQ(moved_bytes(built_in(), one) * hd.pixels(), moved_bytes(built_in(), hd) * one.pixels());
  }
  EXPECT_EQ(measure::name_of(frames, points.back()), "frames 7680x4320");
}

TEST(Frames, AreProvedFromMemoryAtEveryFrame) {
  const auto device = device::model::open(quiet_model());
  for (const Frame& frame : {three_passes(), built_in()}) {
    const measure::SteppedWork work = rendering(*device, frame, tiny, 7);
    for (const std::uint64_t count : {1u, 1u, 3u, 5u}) {
      (void)work.run(count);
      EXPECT_EQ(work.proof_failure(), std::nullopt) << frame.name;
    }
  }
}

/// A simulated device whose driver leaves things out.
class DeviceThatLeavesOut final : public device::Device {
 public:
  std::size_t left_out = ~std::size_t{0};  ///< the dispatch that is not made
  bool loses_the_last_group = false;

  const device::DeviceInfo& info() const override { return device_->info(); }
  std::uint64_t available_bytes() override { return device_->available_bytes(); }
  std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override {
    return device_->make_buffer(size_bytes, use);
  }
  std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source, std::uint32_t group_size,
                                              std::span<const device::Constant> constants) override {
    return device_->make_kernel(source, group_size, constants);
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override {
    if (dispatches_++ == left_out) return device::Nanoseconds(1);
    device::Launch made = launch;
    constexpr std::uint32_t group_size = 64;
    if (loses_the_last_group) made.scalars[0] = (made.scalars[0] - 1) / group_size * group_size;
    return device_->run(kernel, made);
  }

 private:
  std::unique_ptr<device::Device> device_ = device::model::open(quiet_model());
  std::size_t dispatches_ = 0;
};

TEST(Frames, APassThatWasNotMadeIsNoticedByItsName) {
  const Frame frame = three_passes();
  for (std::size_t pass = 0; pass < frame.passes.size(); ++pass) {
    DeviceThatLeavesOut device;
    device.left_out = frame.passes.size() + pass;  // of the second frame: the first one's contents still stand
    const measure::SteppedWork work = rendering(device, frame, tiny, 7);
    (void)work.run(1);
    EXPECT_EQ(work.proof_failure(), std::nullopt);
    (void)work.run(1);
    const std::optional<std::string> failure = work.proof_failure();
    ASSERT_TRUE(failure) << pass;
    // No pass that reads what it should have written is named before it.
    EXPECT_NE(failure->find("'" + frame.passes[pass].name + "'"), std::string::npos) << *failure;
  }
}

TEST(Frames, AGroupThatWasLeftOutIsNoticed) {
  DeviceThatLeavesOut device;
  device.loses_the_last_group = true;
  const measure::SteppedWork work = rendering(device, built_in(), {256, 720}, 7);
  (void)work.run(1);
  EXPECT_TRUE(work.proof_failure());
}

TEST(Frames, TakeTheTimeOfTheirBytesAndOfThePassesBeginnings) {
  // Caches of 32 KiB keep next to nothing of a frame, whose reads and writes overlap within a pass.
  const auto device = device::model::open(quiet_model());
  const Frame frame{
      .name = "two",
      .surfaces = {{.name = "a", .bytes_per_pixel = 4}, {.name = "b", .bytes_per_pixel = 8}},
      .passes = {{.name = "one", .reads = {}, .writes = 0}, {.name = "two", .reads = {{0, 1}}, .writes = 1}}};
  const measure::SteppedWork work = rendering(*device, frame, hd, 1);
  (void)work.run(3);
  const double found = work.run(1).count();
  const double expected = 2 * 2000 + hd_pixels * 4 / 50 + hd_pixels * 8 / 50;
  EXPECT_NEAR(found, expected, 0.01 * expected);
  // What follows from the frame before takes as long as what is walked.
  EXPECT_NEAR(work.run(4).count(), 4 * found, 0.001 * found);
  EXPECT_DOUBLE_EQ(work.value(2.5e6), 2.5);
  ASSERT_EQ(work.derived.size(), 2u);
  EXPECT_EQ(work.derived[0].curve, &frames_probe::bandwidth);
  EXPECT_DOUBLE_EQ(work.derived[0].value(1e6), hd_pixels * 16 / 1e6);
  EXPECT_EQ(work.derived[1].curve, &frames_probe::moved);
  EXPECT_DOUBLE_EQ(work.derived[1].value(1e6), hd_pixels * 16);
}

TEST(Frames, AreFasterByTheByteWhereACacheHoldsTheirTargets) {
  device::model::Description model = quiet_model();
  model.levels[0].bytes = 4 << 20;
  model.levels[0].read_gbps = 1000;
  model.levels[0].write_gbps = 1000;
  model.launch_ns = 0;
  const auto device = device::model::open(model);
  const auto gbps = [&](const Resolution& resolution) {
    const measure::SteppedWork work = rendering(*device, three_passes(), resolution, 1);
    (void)work.run(4);
    return work.derived[0].value(work.run(4).count() / 4);
  };
  const double held = gbps({256, 256});  // 1.8 MB of surfaces
  const double beyond = gbps(hd);        // 26 MB
  EXPECT_GT(held, 900);
  EXPECT_LT(beyond, 200);
}

TEST(Frames, OfWhichThereIsNoRoomAreSkippedWithTheReason) {
  device::model::Description model = quiet_model();
  model.memory_bytes = 20 << 20;
  const auto device = device::model::open(model);
  test::RecordingObserver observer;
  (void)measure::run_probe(
      *device, frames,
      {.request = {.look = measure::Look::first, .largest_bytes = 30 << 20, .frame = three_passes()},
       .host_time = [] { return counters::HostTime{}; }},
      observer);
  EXPECT_TRUE(observer.failures.empty());
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_NE(observer.skips[0].text.find("1280x720"), std::string::npos) << observer.skips[0].text;
  EXPECT_NE(observer.skips[0].text.find("--frame"), std::string::npos) << observer.skips[0].text;
  std::vector<std::string> units;
  for (const Measurement& one : observer.measurements) units.push_back(one.unit);
  EXPECT_EQ(units, (std::vector<std::string>{"ms", "GB/s", "bytes", "ms", "GB/s", "bytes"}));
}

TEST(Frames, ThatSizesLeaveOutAreSkippedOnce) {
  const auto device = device::model::open(quiet_model());
  test::RecordingObserver observer;
  (void)measure::run_probe(*device, frames,
                           {.request = {.look = measure::Look::first, .largest_bytes = 4096, .frame = three_passes()},
                            .host_time = [] { return counters::HostTime{}; }},
                           observer);
  EXPECT_TRUE(observer.measurements.empty());
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_NE(observer.skips[0].text.find("--sizes"), std::string::npos) << observer.skips[0].text;
}

TEST(Frames, ThatTakeLongComeWithCloserLooks) {
  using Counts = std::vector<std::size_t>;
  const auto asked = [](device::DeviceType type, const std::optional<std::uint32_t>& failing_width) {
    test::AnsweredPlan plan(
        {.frame = built_in()},
        [type](const measure::Request& request, std::span<const Measurement> known) {
          return frames.next({.type = type}, request, known);
        },
        [&](const Point& point) -> std::optional<double> {
          if (point.x.width == failing_width) return std::nullopt;
          return 1;
        });
    Counts counts;
    for (const measure::Look look : {measure::Look::first, measure::Look::closer, measure::Look::closest})
      counts.push_back(plan.go_through(look, 1));
    return counts;
  };
  EXPECT_EQ(asked(device::DeviceType::discrete, {}), (Counts{7, 1, 0}));
  EXPECT_EQ(asked(device::DeviceType::cpu, {}), (Counts{2, 3, 3}));
  EXPECT_EQ(asked(device::DeviceType::cpu, 960), (Counts{2, 3, 3})) << "one that fails is not waited for";
}

TEST(Frames, OfALookBeginWithOneThatIsQuicklyThere) {
  const std::vector<Point> first =
      frames.next({.type = device::DeviceType::cpu}, {.look = measure::Look::first, .frame = built_in()}, {});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_LE(first[0].expected_seconds, 0.5);
}

}  // namespace
}  // namespace sonde::probes
