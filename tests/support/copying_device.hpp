#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.hpp"

namespace sonde::test {

/// What the driver that stands behind a double does when the CPU maps a buffer. Everything that disturbs only slows.
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

/// Another device, but for its kinds of memory: "device", which copies at explicit_gbps when asked, and
/// "alloc-host-ptr", shared as the script says. The host's clock is scripted.
class CopyingDevice final : public gpu::Device {
 public:
  CopyingDevice(std::unique_ptr<gpu::Device> inner, Sharing script, double explicit_gbps)
      : inner_(std::move(inner)), script_(script), explicit_gbps_(explicit_gbps), info_(inner_->info()) {
    info_.type = gpu::DeviceType::model;
    info_.memory_kinds = {{.name = "device", .missing = ""},
                          {.name = "alloc-host-ptr", .missing = ""},
                          {.name = "svm-fine", .missing = "the script has none", .maps_freely = true},
                          {.name = "device-local", .missing = "", .seen_by_cpu = false}};
  }

  [[nodiscard]] const gpu::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::uint64_t available_bytes() override { return script_.available_bytes; }
  [[nodiscard]] std::unique_ptr<gpu::Buffer> make_buffer(std::uint64_t size_bytes, gpu::Use use) override {
    return inner_->make_buffer(size_bytes, use);
  }
  [[nodiscard]] std::unique_ptr<gpu::Buffer> make_buffer_in(const gpu::MemoryKind& kind, std::uint64_t size_bytes,
                                                            gpu::Use use) override;
  [[nodiscard]] std::unique_ptr<gpu::Kernel> make_kernel(const gpu::KernelSource& source, std::uint32_t group_size,
                                                         std::span<const gpu::Constant> constants) override {
    auto kernel = inner_->make_kernel(source, group_size, constants);
    if (source.name == "touch") {
      touch_ = kernel.get();
    } else if (touch_ == kernel.get()) {
      touch_ = nullptr;  // that one is gone
    }
    return kernel;
  }
  gpu::Nanoseconds run(gpu::Kernel& kernel, const gpu::Launch& launch) override;
  [[nodiscard]] gpu::Nanoseconds host_time() override { return gpu::Nanoseconds(host_ns_); }

  /// Lets the host's clock go on.
  void spend(double ns);
  [[nodiscard]] const Sharing& script() const { return script_; }
  [[nodiscard]] double explicit_gbps() const { return explicit_gbps_; }

 private:
  std::unique_ptr<gpu::Device> inner_;
  Sharing script_;
  double explicit_gbps_;
  gpu::DeviceInfo info_;
  double host_ns_ = 0;
  std::mt19937_64 random_{script_.seed};
  const gpu::Kernel* touch_ = nullptr;  ///< the last that was made; only to be compared with
};

/// A buffer of the double's kinds.
class CopyingBuffer final : public gpu::Buffer {
 public:
  CopyingBuffer(CopyingDevice& device, std::unique_ptr<gpu::Buffer> inner, bool scripted)
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
  [[nodiscard]] std::span<std::byte> map(gpu::Access access) override {
    access_ = access;
    shadow_.resize(size_bytes());
    inner_->read(0, shadow_);
    cost();
    return shadow_;
  }
  void unmap() override {
    if (access_ == gpu::Access::read) return;
    if (!device_.script().forgets_writes) inner_->write(0, shadow_);
    cost();
  }
  [[nodiscard]] gpu::Buffer* inner() { return inner_.get(); }

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
  std::unique_ptr<gpu::Buffer> inner_;
  bool scripted_;
  gpu::Access access_ = gpu::Access::read;
  std::vector<std::byte> shadow_;
};

inline std::unique_ptr<gpu::Buffer> CopyingDevice::make_buffer_in(const gpu::MemoryKind& kind, std::uint64_t size_bytes,
                                                                  gpu::Use use) {
  return std::make_unique<CopyingBuffer>(*this, inner_->make_buffer(size_bytes, use),
                                         gpu::memory_kind(info_, kind.name).name == "alloc-host-ptr");
}

inline gpu::Nanoseconds CopyingDevice::run(gpu::Kernel& kernel, const gpu::Launch& launch) {
  gpu::Launch inner = launch;
  for (gpu::Buffer*& buffer : inner.buffers) {
    if (auto* const own = dynamic_cast<CopyingBuffer*>(buffer)) buffer = own->inner();
  }
  const gpu::Nanoseconds time = inner_->run(kernel, inner);
  spend(10e3 + time.count());
  // Of the kernel that touches words: how many, where they lie apart.
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
