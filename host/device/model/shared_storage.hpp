#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/model/description.hpp"
#include "device/model/storage.hpp"

namespace sonde::device::model {

/// The clock of the CPU beside the simulated device.
struct HostClock {
  double ns = 0;
};

/// What a map that copies costs.
struct CopyCost {
  double to_device_gbps = 0;
  double to_host_gbps = 0;
  double latency_ns = 0;
};
[[nodiscard]] CopyCost copy_cost(const Description& description);

/// Whether the device reads and writes memory of this kind where the CPU does.
[[nodiscard]] bool is_zero_copy(const Description& description, std::string_view kind);

/// The kinds that OpenCL names, and what else the description calls zero-copy.
[[nodiscard]] std::vector<MemoryKind> memory_kinds(const Description& description);

/// A buffer that the CPU may map; one that is not zero-copy is copied whole each time, contents and all.
class SharedStorage final : public Storage {
 public:
  SharedStorage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes, bool zero_copy, const CopyCost& cost,
                std::shared_ptr<HostClock> clock);

  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override;
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override;
  [[nodiscard]] std::span<std::byte> map(Access access) override;
  void unmap() override;

 private:
  std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(words()), size_bytes()}; }
  void copy(std::span<const std::byte> from, std::span<std::byte> to, double gbps);
  void spend(std::uint64_t bytes, double gbps);

  bool zero_copy_;
  CopyCost cost_;
  std::shared_ptr<HostClock> clock_;
  Access access_ = Access::read;
  std::vector<std::byte> copy_;  ///< what the CPU looks at while it is mapped
};

}  // namespace sonde::device::model
