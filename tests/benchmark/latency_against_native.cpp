// Prints, size by size and in turn, what a plain C++ pointer chase on the host and Sonde's latency probe on the CPU
// device read: how much the driver's code adds, and whether the working sets are what they are said to be. Same page
// size, same minutes, same core. Usage: latency_against_native opencl|vulkan|vulkan-descriptors [rounds] [bytes…]

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analysis/statistics.hpp"
#include "counters/state/device_state.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "measure/repetitions.hpp"
#include "measure/smt_interference.hpp"
#include "probes/latency/latency.hpp"
#include "workloads/walk/walk.hpp"

namespace {

using namespace sonde;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t line_bytes = 64;
constexpr std::uint32_t words_per_line = line_bytes / sizeof(std::uint32_t);

/// Small pages, as the drivers' allocations have them here (transparent huge pages only where asked for).
struct SmallPages {
  std::size_t bytes;
  std::uint32_t* words;
  explicit SmallPages(std::size_t size) : bytes(size) {
    words =
        static_cast<std::uint32_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(words, bytes, MADV_NOHUGEPAGE);
  }
  ~SmallPages() { munmap(words, bytes); }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
};

double native_ns(std::uint64_t bytes, std::uint64_t seed) {
  const SmallPages memory(bytes);
  const auto lines = static_cast<std::uint32_t>(bytes / line_bytes);
  const std::vector<std::uint32_t> cycle = workloads::random_cycle(lines, seed);
  for (std::uint32_t line = 0; line < lines; ++line)
    memory.words[std::size_t{line} * words_per_line] = cycle[line] * line_bytes;
  std::uint32_t at = 0;
  const auto walk = [&](std::uint64_t hops) {
    const auto* const base = reinterpret_cast<const char*>(memory.words);
    const auto next = [base](std::uint32_t offset) { return *reinterpret_cast<const std::uint32_t*>(base + offset); };
    const auto start = Clock::now();
    for (std::uint64_t hop = 0; hop < hops; hop += 16) {
      at = next(at), at = next(at), at = next(at), at = next(at);
      at = next(at), at = next(at), at = next(at), at = next(at);
      at = next(at), at = next(at), at = next(at), at = next(at);
      at = next(at), at = next(at), at = next(at), at = next(at);
    }
    asm volatile("" : : "r"(at));
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(hops);
  };
  const double per_hop = walk(std::max<std::uint64_t>(lines, 100'000));
  const auto hops = static_cast<std::uint64_t>(10e6 / per_hop) / 16 * 16;
  std::vector<double> values;
  for (int repetition = 0; repetition < 9; ++repetition) values.push_back(walk(hops));
  return analysis::quantile(values, 0.5);
}

double sonde_ns(device::Device& device, std::uint64_t bytes, std::uint64_t seed) {
  const measure::Request request{
      .look = measure::Look::closer, .smallest_bytes = {}, .largest_bytes = {}, .seed = seed, .line_bytes = line_bytes};
  const measure::Point point = measure::point_on(probes::latency_probe::cycle, {.bytes = static_cast<double>(bytes)});
  const measure::Workload workload = probes::latency_probe::prepare_cycle(device, point, request);
  const measure::OneCore one_core;
  const auto repetitions = measure::repeat(std::get<measure::SteppedWork>(workload.work), measure::limits_of(), [] {});
  return analysis::quantile(repetitions.values, 0.5);
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string api = count > 1 ? arguments[1] : "opencl";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 7;
  std::vector<std::uint64_t> sizes;
  for (int i = 3; i < count; ++i) sizes.push_back(std::strtoull(arguments[i], nullptr, 10));
  if (sizes.empty()) {
    sizes = {4096, 16384, 32768, 131072, 524288, 1048576, 1572864, 100663296, 134217728, 268435456};
  }
  const auto device = api == "vulkan"               ? device::vulkan::open(0)
                      : api == "vulkan-descriptors" ? device::vulkan::open(0, device::vulkan::BufferAccess::descriptors)
                                                    : device::opencl::open(0);
  std::printf("%12s %10s %9s %10s %9s %7s %8s %8s\n", "bytes", "native ns", "spread %", (api + " ns").c_str(),
              "spread %", "ratio", "foreign", "steal");
  for (const std::uint64_t bytes : sizes) {
    std::vector<double> native;
    std::vector<double> ours;
    std::vector<double> ratios;
    const auto before = counters::read_host_time();
    for (int round = 0; round < rounds; ++round) {
      const auto seed = static_cast<std::uint64_t>(round) + 1;
      {
        const measure::OneCore one_core;
        native.push_back(native_ns(bytes, seed));
      }
      ours.push_back(sonde_ns(*device, bytes, seed));
      ratios.push_back(ours.back() / native.back());
    }
    const auto load = counters::load_between(before, counters::read_host_time());
    const auto spread = [](const std::vector<double>& values) {
      const analysis::Summary s = analysis::summarize(values);
      return (s.upper_quartile - s.lower_quartile) / s.median * 100;
    };
    std::printf("%12llu %10.3f %9.2f %10.3f %9.2f %7.4f %8.3f %8.3f\n", static_cast<unsigned long long>(bytes),
                analysis::quantile(native, 0.5), spread(native), analysis::quantile(ours, 0.5), spread(ours),
                analysis::quantile(ratios, 0.5), load.foreign_cpu, load.steal);
    std::fflush(stdout);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
