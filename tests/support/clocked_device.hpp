#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "device/device.hpp"

namespace sonde::test {

/// A CPU as a driver shows it, with so wide loads.
inline device::DeviceInfo cpu_info(std::uint32_t compute_units, std::uint32_t widest_load_bytes) {
  device::DeviceInfo info;
  info.type = device::DeviceType::cpu;
  info.compute_units = compute_units;
  info.largest_group_size = 1024;
  info.widest_load_bytes = widest_load_bytes;
  return info;
}

/// A kernel of which only its numbers are known.
struct NumberedKernel final : device::Kernel {
  std::uint32_t group_size = 1;
  std::map<std::string, std::uint32_t, std::less<>> constants;
};

/// A device that does nothing and has a clock, for code that times and does not prove. What each dispatch takes is for
/// the test to say.
class ClockedDevice final : public device::Device {
 public:
  using Time = std::function<device::Nanoseconds(const NumberedKernel& kernel, const device::Launch& launch)>;
  ClockedDevice(device::DeviceInfo info, Time time) : info_(std::move(info)), time_(std::move(time)) {}

  const device::DeviceInfo& info() const override { return info_; }
  std::uint64_t available_bytes() override { return 1 << 30; }
  std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use) override {
    return std::make_unique<NoMemory>(size_bytes);
  }
  std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource&, std::uint32_t group_size,
                                              std::span<const device::Constant> constants) override {
    auto kernel = std::make_unique<NumberedKernel>();
    kernel->group_size = group_size;
    for (const device::Constant& one : constants) kernel->constants.emplace(one.name, one.value);
    return kernel;
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override {
    return time_(static_cast<const NumberedKernel&>(kernel), launch);
  }

 private:
  class NoMemory final : public device::Buffer {
   public:
    explicit NoMemory(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
    std::uint64_t size_bytes() const override { return size_bytes_; }
    void write(std::uint64_t, std::span<const std::byte>) override {}
    void read(std::uint64_t, std::span<std::byte>) override {}

   private:
    std::uint64_t size_bytes_;
  };

  device::DeviceInfo info_;
  Time time_;
};

}  // namespace sonde::test
