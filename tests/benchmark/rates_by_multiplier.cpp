// Prints the rate of every type's multiply-adds by each of several pairs of multipliers, in turn: whether a rate
// depends on what is multiplied, as it does where hardware or a driver treats some values differently. The interval is
// that of the first pair's rate, as a run would state it from so many moments; the others have to lie in it. A pair of
// multipliers that stood out would have a ratio to the first, of the same round, that differs from one in every round.
// Usage: rates_by_multiplier opencl|vulkan [rounds] [type …]

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "measure/repetitions.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace {

using namespace sonde;
constexpr std::uint32_t variants = 3;

double median(const std::vector<double>& values) { return analysis::quantile(values, 0.5); }

void compare(device::Device& device, const device::NumberTypeFacts& type, int rounds) {
  const workloads::ArithmeticShape shape =
      workloads::search_arithmetic_shape(device, type.type, workloads::NumberOperation::fma, {});
  std::vector<measure::SteppedWork> works;
  for (std::uint32_t variant = 0; variant < variants; ++variant) {
    works.push_back(std::get<measure::SteppedWork>(
        workloads::arithmetic(device, type.type, workloads::NumberOperation::fma, shape, 1, variant).work));
  }
  std::array<std::vector<double>, variants> rates;
  std::array<std::vector<double>, variants> ratios;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t variant = 0; variant < variants; ++variant) {
      rates[variant].push_back(median(measure::repeat(works[variant], measure::limits_of(), [] {}).values));
      ratios[variant].push_back(rates[variant].back() / rates[0].back());
    }
  }
  const analysis::Estimate first = analysis::predicted_above_zero(median(rates[0]), rates[0]);
  for (std::uint32_t variant = 0; variant < variants; ++variant) {
    const device::ArithmeticPair operands =
        workloads::chain_of(type.type, workloads::NumberOperation::fma, shape.paired, variant).operands;
    const double rate = median(rates[variant]);
    const auto [least, most] = std::ranges::minmax(ratios[variant]);
    std::printf("%-6s %016llx %016llx %10.2f  interval %.2f to %.2f  %s  ratio %.3f (%.3f to %.3f)\n",
                std::string(type.name).c_str(), static_cast<unsigned long long>(operands.x),
                static_cast<unsigned long long>(operands.y), rate, first.low, first.high,
                rate >= first.low && rate <= first.high ? "in it" : "OUTSIDE", median(ratios[variant]), least, most);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string api = count > 1 ? arguments[1] : "opencl";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  const std::vector<std::string> wanted(arguments + std::min(count, 3), arguments + count);
  const auto device = api == "vulkan" ? device::vulkan::open(0) : device::opencl::open(0);
  for (const device::NumberTypeFacts& type : device::number_types) {
    const std::string name(type.name);
    if (device->info().missing_types.contains(name)) continue;
    if (wanted.empty() || std::ranges::find(wanted, name) != wanted.end()) compare(*device, type, rounds);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
