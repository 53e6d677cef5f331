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
#include "device/copies.hpp"
#include "device/error.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "measure/stopping.hpp"
#include "probes/catalog.hpp"
#include "probes/copy/route.hpp"

namespace {

using namespace sonde;
using Clock = std::chrono::steady_clock;

/// The CPU's view of an end of a copy, for as long as the row takes.
class Seen {
 public:
  explicit Seen(const device::CopyPlace& place) : buffer_(place.buffer) {
    bytes_ = (buffer_ != nullptr ? buffer_->map(device::Access::write) : place.host->bytes()).subspan(place.offset_bytes);
  }
  ~Seen() {
    if (buffer_ != nullptr) buffer_->unmap();
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  [[nodiscard]] std::byte* data() const { return bytes_.data(); }

 private:
  device::Buffer* buffer_;
  std::span<std::byte> bytes_;
};

/// Copies a list by memcpy, in a thread that is there before it and after.
class NativeCopies final : public device::Copies {
 public:
  explicit NativeCopies(device::Copies& drivers)
      : drivers_(drivers), thread_([this](const std::stop_token& stop) { work(stop); }) {}
  ~NativeCopies() override {
    thread_.request_stop();
    begin_.release();
  }
  NativeCopies(const NativeCopies&) = delete;
  NativeCopies& operator=(const NativeCopies&) = delete;

  device::CopyQueues queues(device::CopyEngine) override { return {.name = "memcpy", .count = 1}; }
  std::unique_ptr<device::HostMemory> make_host_memory(device::HostKind kind, std::uint64_t size_bytes) override {
    return drivers_.make_host_memory(kind, size_bytes);
  }
  device::CopyTimes run(device::CopyEngine, std::span<const device::CopyList> lists) override {
    const device::CopyList& list = lists.front();
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
  device::BesideTimes run_beside(device::CopyEngine, const device::CopyList&, device::Kernel&, const device::Launch&) override {
    throw device::Unsupported("memcpy is compared alone");
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

  device::Copies& drivers_;
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::size_t copies_ = 0;
  device::Nanoseconds time_{0};
  std::binary_semaphore begin_{0};
  std::binary_semaphore end_{0};
  std::jthread thread_;  ///< after all that it uses
};

/// The device, but for who copies.
class NativeDevice final : public device::Device {
 public:
  explicit NativeDevice(device::Device& device) : device_(device), copies_(device.copies()) {}
  [[nodiscard]] const device::DeviceInfo& info() const override { return device_.info(); }
  [[nodiscard]] std::uint64_t available_bytes() override { return device_.available_bytes(); }
  [[nodiscard]] std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override {
    return device_.make_buffer(size_bytes, use);
  }
  [[nodiscard]] std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source, std::uint32_t group_size,
                                                         std::span<const device::Constant> constants) override {
    return device_.make_kernel(source, group_size, constants);
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override { return device_.run(kernel, launch); }
  [[nodiscard]] device::Copies& copies() override { return copies_; }

 private:
  device::Device& device_;
  NativeCopies copies_;
};

double median_gbps(device::Device& device, const measure::Point& point, const measure::Request& request) {
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
  const auto device = api == "vulkan" ? device::vulkan::open(0) : device::opencl::open(0);
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
      } catch (const device::Unsupported&) {
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
