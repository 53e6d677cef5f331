// Prints, level by level and in turn, what a stream that computes reaches of the lower of its two roofs: what the same
// loop reads without operations, and the arithmetic kernel's multiply-adds of fp32 in the shape that its search finds.
// Best and median over the rounds, each of dispatches of about a millisecond, so that others on the machine count
// little in the best. Usage: roofline_points opencl|vulkan [rounds [groups]]; groups: as many cores, instead of all.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/error.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "workloads/arithmetic.hpp"
#include "workloads/arithmetic_search.hpp"
#include "workloads/roofline.hpp"

namespace {

using namespace sonde;

/// A workload whose dispatches last about a millisecond.
class Timed {
 public:
  explicit Timed(measure::Workload work) : work_(std::move(work)), steps_(work_.quantum) {
    constexpr double wanted_ns = 1e6;
    for (std::uint64_t lap = 0; lap < 2 * work_.lap && work_.lap > 1;) {
      const std::uint64_t steps = std::min(work_.most, (work_.lap + work_.quantum - 1) / work_.quantum * work_.quantum);
      (void)work_.run(steps / work_.quantum * work_.quantum);
      lap += steps;
    }
    (void)work_.run(steps_);
    while (work_.run(steps_).count() < wanted_ns && 2 * steps_ <= work_.most) steps_ *= 2;
  }
  void again() {
    values_.push_back(work_.value(work_.run(steps_).count() / static_cast<double>(steps_)));
    if (const auto flaw = work_.flaw()) throw device::Error(*flaw);
  }
  [[nodiscard]] double best() const { return std::ranges::max(values_); }
  [[nodiscard]] double median() const { return analysis::quantile(values_, 0.5); }

 private:
  measure::Workload work_;
  std::uint64_t steps_;
  std::vector<double> values_;
};

void print_level(device::Device& device, workloads::Sharing sharing, std::uint64_t bytes, std::uint32_t groups,
                 const workloads::ArithmeticShape& peak_shape, int rounds) {
  workloads::RooflineShape shape = workloads::roofline_shape(device.info(), sharing, bytes, peak_shape.numbers());
  if (groups > 0) shape.walk.groups = groups;
  const std::vector<double> operations{0.0625, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024};
  Timed peak(workloads::arithmetic(device, workloads::NumberType::fp32, workloads::Operation::fma, peak_shape, 1));
  Timed bandwidth(workloads::roofline(device, sharing, shape, bytes, 0, 1));
  std::vector<Timed> points;
  for (const double one : operations) points.emplace_back(workloads::roofline(device, sharing, shape, bytes, one, 1));
  for (int round = 0; round < rounds; ++round) {
    peak.again();
    bandwidth.again();
    for (Timed& one : points) one.again();
  }
  std::printf("%s, %u groups: %.4g GB/s at best (median %.4g), %.4g Gop/s (%.4g), ridge %.3g\n",
              measure::size_text(static_cast<double>(bytes)).c_str(), shape.walk.groups, bandwidth.best(),
              bandwidth.median(), peak.best(), peak.median(), peak.best() / bandwidth.best());
  std::printf("  operations a byte   Gop/s at best   of the lower roof   by medians\n");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double roof = std::min(peak.best(), bandwidth.best() * operations[i]);
    const double usual_roof = std::min(peak.median(), bandwidth.median() * operations[i]);
    std::printf("  %17g   %13.4g   %17.2f   %10.2f\n", operations[i], points[i].best(), points[i].best() / roof,
                points[i].median() / usual_roof);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string api = count > 1 ? arguments[1] : "opencl";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 10;
  const auto groups = static_cast<std::uint32_t>(count > 3 ? std::atoi(arguments[3]) : 0);
  const std::unique_ptr<device::Device> device =
      api == "vulkan" ? device::vulkan::open(0, device::vulkan::BufferAccess::best) : device::opencl::open(0);
  workloads::ArithmeticShape peak =
      workloads::search_arithmetic_shape(*device, workloads::NumberType::fp32, workloads::Operation::fma, {});
  if (groups > 0) peak.groups = groups;
  print_level(*device, workloads::Sharing::shared, 16 << 10, groups, peak, rounds);
  print_level(*device, workloads::Sharing::separate, 64 << 20, groups, peak, rounds);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
