#include "cpu/device.hpp"

#include <algorithm>
#include <thread>

#include "cpu/pinned.hpp"
#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "os/machine.hpp"
#include "os/time.hpp"

namespace sonde::cpu {
namespace {

constexpr std::uint32_t steps_per_trip = 64;

class HostBuffer final : public device::Buffer {
 public:
  explicit HostBuffer(std::uint64_t bytes) : memory_(bytes, PageKind::small) {}

  std::uint64_t size_bytes() const override { return memory_.size_bytes(); }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, part(offset_bytes, bytes.size()).begin());
  }
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override {
    std::ranges::copy(part(offset_bytes, bytes.size()), bytes.begin());
  }
  std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(memory_.data()); }

 private:
  [[nodiscard]] std::span<std::byte> part(std::uint64_t offset_bytes, std::uint64_t bytes) const {
    if (offset_bytes > size_bytes() || bytes > size_bytes() - offset_bytes)
      throw device::Error("a read or write reaches beyond the end of its buffer");
    return {memory_.data() + offset_bytes, bytes};
  }

  Region memory_;
};

/// kernels/alu_chain.cl, the one kernel that a device needs to have its clock settled.
class AluChain final : public device::Kernel {
 public:
  static void run(std::uint32_t* state, std::uint32_t trips, std::uint32_t factor, std::uint32_t addend) {
    std::uint32_t x = state[0];
    for (std::uint32_t step = 0; step < trips * steps_per_trip; ++step) x = x * factor + addend;
    state[0] = x;
    state[1] = trips;
  }
};

class CpuDevice final : public device::Device {
 public:
  CpuDevice() : info_(describe()) {}

  const device::DeviceInfo& info() const override { return info_; }
  std::uint64_t available_bytes() override { return os::available_memory_bytes() / 5 * 4; }

  std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override {
    device::check_fits(info_, available_bytes(), size_bytes, use);
    return std::make_unique<HostBuffer>(size_bytes);
  }

  std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source, std::uint32_t,
                                              std::span<const device::Constant>) override {
    if (source.name != "alu_chain") {
      throw device::Unsupported("the CPU itself runs no device programs; OpenCL and Vulkan drivers for it do");
    }
    return std::make_unique<AluChain>();
  }

  device::Nanoseconds run(device::Kernel&, const device::Launch& launch) override {
    auto& state = static_cast<HostBuffer&>(*launch.buffers.at(0));
    const device::Nanoseconds begin = steady_now();
    AluChain::run(state.words(), launch.scalars.at(0), launch.scalars.at(1), launch.scalars.at(2));
    return steady_now() - begin;
  }

 private:
  device::DeviceInfo info_;
};

/// Dependent additions show the core's clock, as every core makes one a cycle. They add a register, as Intel's cores
/// since Golden Cove fold additions of a constant before they are executed.
constexpr int additions = 4000;
constexpr std::size_t usual_windows = 1 << 14;

const std::byte* follow(const std::byte* at) {
#pragma GCC unroll 64
  for (int load = 0; load < loads_in_a_window; ++load) at = *reinterpret_cast<const std::byte* const*>(at);
  return at;
}

/// The sum starts from the last load's result, so that it begins once that has come.
std::uintptr_t add_up(const std::byte* last) {
  auto sum = reinterpret_cast<std::uintptr_t>(last);
  const volatile std::uintptr_t one = 1;
  const std::uintptr_t addend = one;  // the compiler does not know its value
#pragma GCC unroll 100
  for (int addition = 0; addition < additions; ++addition) {
    sum += addend;
    asm volatile("" : "+r"(sum));  // else the compiler adds once
  }
  return sum;
}

class Chase final : public device::Companion {
 public:
  Chase(int cpu, const std::byte*& at) : cpu_(cpu), at_(at) {}

  std::vector<device::ChaseWindow> chase_during(const std::function<void()>& meanwhile) override {
    std::vector<device::ChaseWindow> windows;
    os::Awaited<bool> chasing(false);
    std::jthread thread([&](const std::stop_token& stop) { chase(stop, chasing, windows); });
    chasing.wait_until([](bool has_begun) { return has_begun; });
    meanwhile();
    thread.request_stop();
    thread.join();
    return windows;
  }

  std::vector<device::ChaseWindow> chase_for(device::Nanoseconds time) override {
    return chase_during([time] { std::this_thread::sleep_for(time); });
  }

 private:
  void chase(const std::stop_token& stop, os::Awaited<bool>& chasing, std::vector<device::ChaseWindow>& windows) {
    const Pinned pinned(cpu_);
    windows.reserve(usual_windows);
    at_ = follow(at_);
    chasing.set(true);
    while (!stop.stop_requested()) {
      const os::CpuTime before = os::cpu_time_of_this_thread();
      const device::Nanoseconds begin = steady_now();
      at_ = follow(at_);
      const device::Nanoseconds end = steady_now();
      const os::CpuTime after = os::cpu_time_of_this_thread();
      const device::Nanoseconds adding = steady_now();
      const volatile std::uintptr_t sum = add_up(at_);
      static_cast<void>(sum);
      const device::Nanoseconds added = steady_now() - adding;
      windows.push_back({.begin = begin,
                         .end = end,
                         .ns_per_load = (end - begin).count() / loads_in_a_window,
                         .clock_mhz = additions / added.count() * 1e3,
                         .interrupted = os::was_interrupted(before, after, (end - begin).count() * 1e-9)});
    }
  }

  int cpu_;
  const std::byte*& at_;
};

}  // namespace

device::DeviceInfo describe() {
  const Topology& topology = machine();
  device::DeviceInfo info;
  info.api = device::Api::cpu;
  info.type = device::DeviceType::cpu;
  info.name = "CPU";
  info.platform = "native";
  info.compute_units = static_cast<std::uint32_t>(topology.cores.size());
  info.memory_bytes = os::memory_bytes();
  info.largest_buffer_bytes = info.memory_bytes;
  info.largest_buffer_reason = "the memory of this machine";
  info.unified_memory = true;
  for (const auto& [level, bytes] : topology.caches) {
    if (bytes > 0) info.stated_caches.push_back({.level = level, .bytes = bytes, .source = "the system"});
  }
  return info;
}

std::unique_ptr<device::Device> open() { return std::make_unique<CpuDevice>(); }

std::unique_ptr<device::Companion> chase_on(int cpu, const std::byte*& at) { return std::make_unique<Chase>(cpu, at); }

}  // namespace sonde::cpu
