#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sonde::os {

/// Bytes of an ordinary page.
std::uint64_t page_bytes();

enum class PageKind { small, huge };

/// Whole pages of this process alone, zero until they are written.
class Pages {
 public:
  /// Of the kind that is asked for where it has to be said now, as on Windows; the system may give others. Throws
  /// std::bad_alloc where it gives none.
  explicit Pages(std::uint64_t bytes, PageKind kind = PageKind::small);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::uint64_t bytes_;
};

/// Asks for pages of a kind behind a range of whole pages that has not been written yet, where that can be said now, as
/// on Linux; the system may give others.
void prefer(PageKind kind, void* begin, std::uint64_t bytes);

/// Bytes of huge pages behind a range that has been written, or more where mappings of Linux reach beyond it.
std::uint64_t huge_bytes_of(const void* begin, std::uint64_t bytes);

/// Why there were none, and what to do.
std::string why_no_huge_pages();

}  // namespace sonde::os
