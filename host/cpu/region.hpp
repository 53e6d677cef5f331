#pragma once

#include <optional>

#include "os/pages.hpp"

namespace sonde::cpu {

using os::PageKind;

/// Memory of this process alone on pages of one size, written once so that every page is there.
class Region {
 public:
  /// Throws device::Unsupported, with what to do, where the system gives no memory or no huge pages, or where a NUMA
  /// node is named and a page lies on another. Without a node the memory is local to the thread that makes this.
  Region(std::uint64_t bytes, PageKind pages, std::optional<int> node = std::nullopt);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  std::optional<os::Pages> pages_;
  std::byte* data_ = nullptr;
};

/// Whether this process gets huge pages; tried once.
bool has_huge_pages();

/// The largest pages that this process gets.
inline PageKind widest_pages() { return has_huge_pages() ? PageKind::huge : PageKind::small; }

}  // namespace sonde::cpu
