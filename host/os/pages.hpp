#pragma once

#include <cstddef>
#include <cstdint>

namespace sonde::os {

/// Bytes of an ordinary page.
std::uint64_t page_bytes();

enum class PageKind { small, huge };

/// Whole pages of this process alone, zero until they are written.
class Pages {
 public:
  /// Throws std::bad_alloc where the system gives none.
  explicit Pages(std::uint64_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::uint64_t bytes_;
};

/// Asks for pages of a kind behind a range of whole pages that has not been written yet; the system may give others.
void prefer(PageKind kind, void* begin, std::uint64_t bytes);

}  // namespace sonde::os
