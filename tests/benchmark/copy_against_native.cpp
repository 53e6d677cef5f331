// Prints, size by size and in turn, what one memcpy of the C library and the copies of the CPU device reach: with as many
// threads as the driver copies with, which is one for PoCL's commands and lavapipe's. The memory is alike: on pages of
// their own, touched, as many in a row. Usage: copy_against_native opencl|vulkan [rounds]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "analysis/statistics.hpp"
#include "counters/host_time.hpp"
#include "gpu/error.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/page_aligned.hpp"
#include "gpu/vulkan/vulkan.hpp"
#include "measure/stopping.hpp"
#include "probes/catalog.hpp"
#include "probes/copy_arms.hpp"
#include "probes/copy_repeat.hpp"

namespace {

using namespace sonde;
using Clock = std::chrono::steady_clock;

/// As a kernel on all cores reads what is to be proved.
void read_by_all(std::span<const std::byte> bytes) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t core = 0; core < cores; ++core) {
    threads.emplace_back([part = bytes.subspan(bytes.size() / cores * core, bytes.size() / cores)] {
      std::uint64_t sum = 0;
      for (std::size_t at = 0; at + sizeof sum <= part.size(); at += sizeof sum) {
        std::uint64_t word = 0;
        std::memcpy(&word, part.data() + at, sizeof word);
        sum += word;
      }
      asm volatile("" : : "r"(sum));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Rows of memcpy as a lane makes them, in a thread of their own as a driver has one, with the same pauses in which all of
/// the target is read: what a core has just read it overwrites faster.
double native_gbps(std::uint64_t bytes, std::uint32_t copies) {
  const gpu::PageAligned from(bytes * copies + 4096);
  const gpu::PageAligned to(bytes * copies);
  std::vector<double> values;
  for (int row = 0; row < 10; ++row) {
    const std::byte* const begin = from.bytes().data() + (row % 2 == 0 ? 4096 : 0);
    double ns = 0;
    std::thread([&] {
      const auto before = Clock::now();
      for (std::uint32_t copy = 0; copy < copies; ++copy) {
        std::memcpy(to.bytes().data() + copy * bytes, begin + copy * bytes, bytes);
        asm volatile("" : : : "memory");
      }
      ns = std::chrono::duration<double, std::nano>(Clock::now() - before).count();
    }).join();
    if (row > 0) values.push_back(static_cast<double>(bytes * copies) / ns);
    read_by_all(to.bytes());
  }
  return analysis::quantile(values, 0.5);
}

}  // namespace

int main(int count, char** arguments) {
  using probes::CopyArm;
  using probes::Direction;
  using probes::HostEnd;
  const std::string api = count > 1 ? arguments[1] : "opencl";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  const auto device = api == "vulkan" ? gpu::vulkan::open(0) : gpu::opencl::open(0);
  std::printf("%-45s %10s %9s %9s %9s %9s %7s %8s\n", "", "bytes", "native", "spread %", api.c_str(), "spread %",
              "ratio", "foreign");
  for (const CopyArm arm : {CopyArm{.host = HostEnd::pageable}, CopyArm{.host = HostEnd::pinned},
                            CopyArm{.host = HostEnd::pinned, .direction = Direction::to_host},
                            CopyArm{.host = HostEnd::none, .direction = Direction::within}}) {
    for (const std::uint64_t bytes : {std::uint64_t{1} << 20, std::uint64_t{16} << 20, std::uint64_t{128} << 20}) {
      measure::Request request{.effort = measure::Effort::quick};
      const measure::Point point{.series = probes::series_of(arm), .x = {{"bytes", static_cast<double>(bytes)}}};
      const std::uint32_t copies = probes::copies_in_a_row(*device, request.effort, bytes, 1);
      std::vector<double> native;
      std::vector<double> ours;
      std::vector<double> ratios;
      const auto before = counters::read_host_time();
      try {
        for (int round = 0; round < rounds; ++round) {
          request.seed = static_cast<std::uint64_t>(round);
          native.push_back(native_gbps(bytes, copies));
          const measure::Workload work = probes::copying.prepare(*device, point, request);
          ours.push_back(
              analysis::quantile(work.observe(measure::limits_of(request.effort), [] {}).values, 0.5));
          ratios.push_back(ours.back() / native.back());
        }
      } catch (const gpu::Unsupported&) {
        continue;
      }
      const auto load = counters::load_between(before, counters::read_host_time());
      const auto spread = [](const std::vector<double>& values) {
        const analysis::Summary s = analysis::summarize(values);
        return (s.upper_quartile - s.lower_quartile) / s.median * 100;
      };
      std::printf("%-45s %10llu %9.2f %9.2f %9.2f %9.2f %7.3f %8.3f\n", probes::phrase_of(arm).c_str(),
                  static_cast<unsigned long long>(bytes), analysis::quantile(native, 0.5), spread(native),
                  analysis::quantile(ours, 0.5), spread(ours), analysis::quantile(ratios, 0.5),
                  load.foreign_cpu);
      std::fflush(stdout);
    }
  }
}
