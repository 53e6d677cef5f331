// The search for the fastest shape on a device that says of each how fast it is: it finds the best one, and no moment in
// which others use the machine makes it choose a slow one.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "probes/shape_search.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint64_t bytes = 64 << 20;
constexpr std::uint32_t units = 4;

/// Bytes a nanosecond that a kernel of these numbers moves.
using Speed = std::function<double(std::uint32_t group_size, const std::map<std::string, std::uint32_t>& constants)>;

class NoBuffer final : public gpu::Buffer {
 public:
  explicit NoBuffer(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
  std::uint64_t size_bytes() const override { return size_bytes_; }
  void write(std::uint64_t, std::span<const std::byte>) override {}
  void read(std::uint64_t, std::span<std::byte>) override {}

 private:
  std::uint64_t size_bytes_;
};

struct TimedKernel final : gpu::Kernel {
  double speed = 0;
  double bytes_per_item = 0;
};

/// Only its clock is there: as the search does not prove, nothing has to be moved.
class Clocked final : public gpu::Device {
 public:
  explicit Clocked(Speed speed) : speed_(std::move(speed)) {
    info_.type = gpu::DeviceType::cpu;
    info_.compute_units = units;
    info_.largest_group_size = 1024;
    info_.widest_load_bytes = 64;
  }
  const gpu::DeviceInfo& info() const override { return info_; }
  std::uint64_t available_bytes() override { return 1 << 30; }
  std::unique_ptr<gpu::Buffer> make_buffer(std::uint64_t size_bytes, gpu::Use) override {
    return std::make_unique<NoBuffer>(size_bytes);
  }
  std::unique_ptr<gpu::Kernel> make_kernel(const gpu::KernelSource&, std::uint32_t group_size,
                                           std::span<const gpu::Constant> constants) override {
    std::map<std::string, std::uint32_t> by_name;
    for (const gpu::Constant& one : constants) by_name.emplace(one.name, one.value);
    auto kernel = std::make_unique<TimedKernel>();
    kernel->speed = speed_(group_size, by_name);
    kernel->bytes_per_item = 4.0 * by_name.at("VECTOR_WORDS") * by_name.at("IN_FLIGHT") * group_size;
    return kernel;
  }
  gpu::Nanoseconds run(gpu::Kernel& kernel, const gpu::Launch& launch) override {
    const auto& timed = static_cast<const TimedKernel&>(kernel);
    const double moved = timed.bytes_per_item * launch.groups * launch.scalars.front();
    const bool disturbed = dispatches >= disturbed_from && dispatches < disturbed_from + 12;
    ++dispatches;
    return gpu::Nanoseconds(5000 + moved / timed.speed * (disturbed ? 8 : 1));
  }

  std::size_t dispatches = 0;
  std::size_t disturbed_from = ~std::size_t{0} / 2;

 private:
  gpu::DeviceInfo info_;
  Speed speed_;
};

/// A CPU whose cores get most of memory with one item each, of several streams and with many loads under way.
double streams_count(std::uint32_t group_size, const std::map<std::string, std::uint32_t>& constants) {
  return (group_size == 1 ? 10 : 4) * (constants.at("SPREAD") != 0 ? 2 : 1) * (constants.at("IN_FLIGHT") == 8 ? 1 : 0.8);
}

TEST(ShapeSearch, FindsTheFastestOne) {
  Clocked device(streams_count);
  const Shape found = search_shape(device, Pattern::read, Sharing::apart, bytes, Thoroughness::full);
  EXPECT_EQ(found.group_size, 1u);
  EXPECT_EQ(found.in_flight, 8u);
  EXPECT_TRUE(found.spread);
}

TEST(ShapeSearch, NoMomentInWhichOthersRunMakesItChooseASlowOne) {
  for (const Thoroughness thoroughness : {Thoroughness::usual, Thoroughness::once, Thoroughness::full}) {
    Clocked quiet(streams_count);
    const auto best = named(search_shape(quiet, Pattern::read, Sharing::apart, bytes, thoroughness));
    for (std::size_t from = 0; from < quiet.dispatches; from += 3) {
      Clocked device(streams_count);
      device.disturbed_from = from;
      EXPECT_EQ(named(search_shape(device, Pattern::read, Sharing::apart, bytes, thoroughness)), best) << from;
    }
  }
}

}  // namespace
}  // namespace sonde::probes
