// Prints, size by size and in turn, what the copies of the CPU device reach and what memcpy of the C library does in
// their place: the same rows, in the same memory of the driver's, with the same proof after each, in a thread that
// waits for them as the driver's does. There is one such thread, as PoCL and lavapipe copy with one for each queue.
// Usage: copy_against_native opencl|vulkan [rounds]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "analysis/statistics.hpp"
#include "counters/state/host_time.hpp"
#include "gpu/copies.hpp"
#include "gpu/error.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/vulkan/vulkan.hpp"
#include "measure/stopping.hpp"
#include "probes/catalog.hpp"
#include "probes/copy/route.hpp"

namespace {

using namespace sonde;
using Clock = std::chrono::steady_clock;

/// The CPU's view of an end of a copy, for as long as the row takes.
class Seen {
 public:
  explicit Seen(const gpu::CopyPlace& place) : buffer_(place.buffer) {
    bytes_ = (buffer_ != nullptr ? buffer_->map(gpu::Access::write) : place.host->bytes()).subspan(place.offset_bytes);
  }
  ~Seen() {
    if (buffer_ != nullptr) buffer_->unmap();
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  [[nodiscard]] std::byte* data() const { return bytes_.data(); }

 private:
  gpu::Buffer* buffer_;
  std::span<std::byte> bytes_;
};

/// Copies a list by memcpy, in a thread that is there before it and after.
class NativeCopies final : public gpu::Copies {
 public:
  explicit NativeCopies(gpu::Copies& drivers)
      : drivers_(drivers), thread_([this](const std::stop_token& stop) { work(stop); }) {}
  ~NativeCopies() override {
    thread_.request_stop();
    begin_.release();
  }
  NativeCopies(const NativeCopies&) = delete;
  NativeCopies& operator=(const NativeCopies&) = delete;

  gpu::CopyQueues queues(gpu::CopyEngine) override { return {.name = "memcpy", .count = 1}; }
  std::unique_ptr<gpu::HostMemory> make_host_memory(gpu::HostKind kind, std::uint64_t size_bytes) override {
    return drivers_.make_host_memory(kind, size_bytes);
  }
  gpu::CopyTimes run(gpu::CopyEngine, std::span<const gpu::CopyList> lists) override {
    const gpu::CopyList& list = lists.front();
    // A lane's copies lie side by side at both ends.
    const Seen from(list.front().from);
    const Seen to(list.front().to);
    from_ = from.data();
    to_ = to.data();
    bytes_ = list.front().bytes;
    copies_ = list.size();
    begin_.release();
    end_.acquire();
    return {.all = time_, .each = {time_}};
  }
  gpu::BesideTimes run_beside(gpu::CopyEngine, const gpu::CopyList&, gpu::Kernel&, const gpu::Launch&) override {
    throw gpu::Unsupported("memcpy is compared alone");
  }

 private:
  void work(const std::stop_token& stop) {
    for (begin_.acquire(); !stop.stop_requested(); begin_.acquire()) {
      const auto before = Clock::now();
      for (std::size_t copy = 0; copy < copies_; ++copy) {
        std::memcpy(to_ + copy * bytes_, from_ + copy * bytes_, bytes_);
        asm volatile("" : : : "memory");
      }
      time_ = Clock::now() - before;
      end_.release();
    }
  }

  gpu::Copies& drivers_;
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::size_t copies_ = 0;
  gpu::Nanoseconds time_{0};
  std::binary_semaphore begin_{0};
  std::binary_semaphore end_{0};
  std::jthread thread_;  ///< after all that it uses
};

/// The device, but for who copies.
class NativeDevice final : public gpu::Device {
 public:
  explicit NativeDevice(gpu::Device& device) : device_(device), copies_(device.copies()) {}
  [[nodiscard]] const gpu::DeviceInfo& info() const override { return device_.info(); }
  [[nodiscard]] std::uint64_t available_bytes() override { return device_.available_bytes(); }
  [[nodiscard]] std::unique_ptr<gpu::Buffer> make_buffer(std::uint64_t size_bytes, gpu::Use use) override {
    return device_.make_buffer(size_bytes, use);
  }
  [[nodiscard]] std::unique_ptr<gpu::Kernel> make_kernel(const gpu::KernelSource& source, std::uint32_t group_size,
                                                         std::span<const gpu::Constant> constants) override {
    return device_.make_kernel(source, group_size, constants);
  }
  gpu::Nanoseconds run(gpu::Kernel& kernel, const gpu::Launch& launch) override { return device_.run(kernel, launch); }
  [[nodiscard]] gpu::Copies& copies() override { return copies_; }

 private:
  gpu::Device& device_;
  NativeCopies copies_;
};

double median_gbps(gpu::Device& device, const measure::Point& point, const measure::Request& request) {
  const measure::Workload work = probes::copying.prepare(device, point, request);
  return analysis::quantile(work.observe(measure::limits_of(request.effort), [] {}).values, 0.5);
}

}  // namespace

int main(int count, char** arguments) {
  using probes::CopyRoute;
  using probes::Direction;
  using probes::HostEnd;
  const std::string api = count > 1 ? arguments[1] : "opencl";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  const auto device = api == "vulkan" ? gpu::vulkan::open(0) : gpu::opencl::open(0);
  NativeDevice native_device(*device);
  std::printf("%-45s %10s %9s %9s %9s %9s %7s %8s\n", "", "bytes", "native", "spread %", api.c_str(), "spread %",
              "ratio", "foreign");
  for (const CopyRoute route : {CopyRoute{.host = HostEnd::pageable}, CopyRoute{.host = HostEnd::pinned},
                                CopyRoute{.host = HostEnd::pinned, .direction = Direction::to_host},
                                CopyRoute{.host = HostEnd::none, .direction = Direction::within}}) {
    for (const std::uint64_t bytes : {std::uint64_t{1} << 20, std::uint64_t{16} << 20, std::uint64_t{128} << 20}) {
      measure::Request request{.effort = measure::Effort::quick};
      const measure::Point point{.series = series_of(route), .x = {{"bytes", static_cast<double>(bytes)}}};
      std::vector<double> native;
      std::vector<double> ours;
      std::vector<double> ratios;
      const auto before = counters::read_host_time();
      try {
        for (int round = 0; round < rounds; ++round) {
          request.seed = static_cast<std::uint64_t>(round);
          native.push_back(median_gbps(native_device, point, request));
          ours.push_back(median_gbps(*device, point, request));
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
      std::printf("%-45s %10llu %9.2f %9.2f %9.2f %9.2f %7.3f %8.3f\n", probes::phrase_of(route).c_str(),
                  static_cast<unsigned long long>(bytes), analysis::quantile(native, 0.5), spread(native),
                  analysis::quantile(ours, 0.5), spread(ours), analysis::quantile(ratios, 0.5), load.foreign_cpu);
      std::fflush(stdout);
    }
  }
}
