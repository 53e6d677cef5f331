#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "os/pages.hpp"

namespace sonde::cpu {

enum class Pages { small, huge };

/// Memory of this process alone, on pages of one size, written once so that something stands behind every address.
class Region {
 public:
  /// Throws device::Unsupported where the system gives no memory or no huge pages, and says how to get them; where a NUMA
  /// node is named, also unless every page stands on it. Without one it is the node of the thread that makes this.
  Region(std::uint64_t bytes, Pages pages, std::optional<int> node = std::nullopt);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  std::optional<os::Pages> pages_;
  std::byte* data_ = nullptr;
};

/// Whether the system gives huge pages to those who ask for them; tried once.
bool has_huge_pages();

}  // namespace sonde::cpu
