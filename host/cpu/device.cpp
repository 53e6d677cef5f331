#include "cpu/device.hpp"

#include <chrono>
#include <cstring>
#include <string>

#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "device/error.hpp"
#include "device/limits.hpp"
#include "os/machine.hpp"
#include "os/memory.hpp"

namespace sonde::cpu {
namespace {

constexpr std::uint32_t steps_per_trip = 64;

class HostBuffer final : public device::Buffer {
 public:
  explicit HostBuffer(std::uint64_t bytes) : memory_(bytes, Pages::small) {}

  std::uint64_t size_bytes() const override { return memory_.size_bytes(); }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    check(offset_bytes, bytes.size());
    std::memcpy(memory_.data() + offset_bytes, bytes.data(), bytes.size());
  }
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override {
    check(offset_bytes, bytes.size());
    std::memcpy(bytes.data(), memory_.data() + offset_bytes, bytes.size());
  }
  std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(memory_.data()); }

 private:
  void check(std::uint64_t offset_bytes, std::uint64_t bytes) const {
    if (offset_bytes > size_bytes() || bytes > size_bytes() - offset_bytes) {
      throw device::Error("a read or write reaches beyond the end of its buffer");
    }
  }

  Region memory_;
};

/// kernels/alu_chain.cl, which is all that a device has to have for its clock to be settled.
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
    const auto begin = std::chrono::steady_clock::now();
    AluChain::run(state.words(), launch.scalars.at(0), launch.scalars.at(1), launch.scalars.at(2));
    return std::chrono::steady_clock::now() - begin;
  }

 private:
  device::DeviceInfo info_;
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

}  // namespace sonde::cpu
