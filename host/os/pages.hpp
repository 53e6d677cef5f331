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
  /// Windows chooses the kind of page here, Linux in prefer(); both may give another. Throws std::bad_alloc where the
  /// system gives no memory.
  explicit Pages(std::uint64_t bytes, PageKind kind = PageKind::small);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::uint64_t bytes_;
};

/// Asks for pages of a kind behind a range of whole pages that has not been written yet; does nothing on Windows.
void prefer(PageKind kind, void* begin, std::uint64_t bytes);

/// Bytes of huge pages behind a range that has been written; more where a mapping of Linux reaches beyond the range.
std::uint64_t huge_bytes_of(const void* begin, std::uint64_t bytes);

/// Why the system gave no huge pages, and what to do.
std::string why_no_huge_pages();

}  // namespace sonde::os
