#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace sonde::test {

/// The driver that stands behind a double does this when the CPU maps a buffer. Everything that disturbs only slows.
struct Sharing {
  double copy_gbps = 0;         ///< above zero: every map and unmap really copies the buffer, at this rate
  double maintenance_gbps = 0;  ///< above zero: every map and unmap takes so long, and copies nothing
  double page_us = 0;           ///< added to a launch for every page that it touches
  double noise = 0;             ///< standard deviation of every map, unmap and launch, as a share of its time
  double interrupted = 0;       ///< share of them during which others ran, for up to 4 ms
  std::uint64_t seed = 1;
  bool forgets_writes = false;  ///< what the CPU wrote does not come to the device
  std::uint64_t available_bytes = 1ull << 30;
};

/// A device that is another but for its kinds of memory: "device", which copies at explicit_gbps when asked, and
/// "alloc-host-ptr", shared as the script says. The host's clock is scripted.
class CopyingDevice final : public device::Device {
 public:
  CopyingDevice(std::unique_ptr<device::Device> inner, Sharing script, double explicit_gbps)
      : inner_(std::move(inner)), script_(script), explicit_gbps_(explicit_gbps), info_(inner_->info()) {
    info_.type = device::DeviceType::model;
    info_.memory_kinds = {{.name = "device", .missing = ""},
                          {.name = "alloc-host-ptr", .missing = ""},
                          {.name = "svm-fine", .missing = "the script has none", .maps_freely = true},
                          {.name = "device-local", .missing = "", .seen_by_cpu = false}};
  }

  [[nodiscard]] const device::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::uint64_t available_bytes() override { return script_.available_bytes; }
  [[nodiscard]] std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override {
    return inner_->make_buffer(size_bytes, use);
  }
  [[nodiscard]] std::unique_ptr<device::Buffer> make_buffer_in(const device::MemoryKind& kind, std::uint64_t size_bytes,
                                                               device::Use use) override;
  [[nodiscard]] std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source,
                                                            std::uint32_t group_size,
                                                            std::span<const device::Constant> constants) override {
    auto kernel = inner_->make_kernel(source, group_size, constants);
    if (source.name == "touch") {
      touch_ = kernel.get();
    } else if (touch_ == kernel.get()) {
      touch_ = nullptr;  // that one is gone
    }
    return kernel;
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override;
  [[nodiscard]] device::Nanoseconds host_time() override { return device::Nanoseconds(host_ns_); }

  /// Lets the host's clock go on.
  void spend(double ns);
  [[nodiscard]] const Sharing& script() const { return script_; }
  [[nodiscard]] double explicit_gbps() const { return explicit_gbps_; }

 private:
  std::unique_ptr<device::Device> inner_;
  Sharing script_;
  double explicit_gbps_;
  device::DeviceInfo info_;
  double host_ns_ = 0;
  std::mt19937_64 random_{script_.seed};
  const device::Kernel* touch_ = nullptr;  ///< the last that was made; only to be compared with
};

/// A buffer of the double's kinds.
class CopyingBuffer final : public device::Buffer {
 public:
  CopyingBuffer(CopyingDevice& device, std::unique_ptr<device::Buffer> inner, bool scripted)
      : device_(device), inner_(std::move(inner)), scripted_(scripted) {}

  [[nodiscard]] std::uint64_t size_bytes() const override { return inner_->size_bytes(); }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    inner_->write(offset_bytes, bytes);
    device_.spend(static_cast<double>(bytes.size()) / device_.explicit_gbps());
  }
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override {
    inner_->read(offset_bytes, bytes);
    device_.spend(static_cast<double>(bytes.size()) / device_.explicit_gbps());
  }
  [[nodiscard]] std::span<std::byte> map(device::Access access) override {
    access_ = access;
    shadow_.resize(size_bytes());
    inner_->read(0, shadow_);
    cost();
    return shadow_;
  }
  void unmap() override {
    if (access_ == device::Access::read) return;
    if (!device_.script().forgets_writes) inner_->write(0, shadow_);
    cost();
  }
  [[nodiscard]] device::Buffer* inner() { return inner_.get(); }

 private:
  void cost() {
    const double bytes = static_cast<double>(size_bytes());
    const Sharing& script = device_.script();
    const double copy_gbps = scripted_ ? script.copy_gbps : device_.explicit_gbps();
    device_.spend(1e3);
    if (copy_gbps > 0) device_.spend(bytes / copy_gbps);
    if (scripted_ && script.maintenance_gbps > 0) device_.spend(bytes / script.maintenance_gbps);
  }

  CopyingDevice& device_;
  std::unique_ptr<device::Buffer> inner_;
  bool scripted_;
  device::Access access_ = device::Access::read;
  std::vector<std::byte> shadow_;
};

inline std::unique_ptr<device::Buffer> CopyingDevice::make_buffer_in(const device::MemoryKind& kind,
                                                                     std::uint64_t size_bytes, device::Use use) {
  return std::make_unique<CopyingBuffer>(*this, inner_->make_buffer(size_bytes, use),
                                         device::memory_kind(info_, kind.name).name == "alloc-host-ptr");
}

inline device::Nanoseconds CopyingDevice::run(device::Kernel& kernel, const device::Launch& launch) {
  device::Launch inner = launch;
  for (device::Buffer*& buffer : inner.buffers) {
    if (auto* const own = dynamic_cast<CopyingBuffer*>(buffer)) buffer = own->inner();
  }
  const device::Nanoseconds time = inner_->run(kernel, inner);
  spend(10e3 + time.count());
  // The kernel that touches words is told how many, where they lie apart.
  if (&kernel == touch_ && launch.scalars[1] > 1) spend(1e3 * script_.page_us * launch.scalars[2]);
  return time;
}

inline void CopyingDevice::spend(double ns) {
  const double noise = std::normal_distribution<double>(0, script_.noise)(random_);
  host_ns_ += ns * std::max(0.2, 1 + noise);
  std::uniform_real_distribution<double> uniform;
  if (uniform(random_) < script_.interrupted) host_ns_ += 4e6 * uniform(random_);
}

}  // namespace sonde::test
