#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "os/linux_files.hpp"
#include "os/pages.hpp"

// Sources: madvise(2); kernel, Documentation/admin-guide/mm/transhuge.rst and filesystems/proc.rst (smaps).
namespace sonde::os {

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

Pages::Pages(std::uint64_t bytes, PageKind)
    : data_(static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
      bytes_(bytes) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

Pages::~Pages() { munmap(data_, bytes_); }

void prefer(PageKind kind, void* begin, std::uint64_t bytes) {
  (void)madvise(begin, bytes, kind == PageKind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

std::uint64_t huge_bytes_of(const void* begin, std::uint64_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  return huge_bytes_in(text_of("/proc/self/smaps"), from, from + bytes);
}

std::string why_no_huge_pages() {
  const std::string setting = text_of("/sys/kernel/mm/transparent_hugepage/enabled");
  if (setting.empty()) return "this kernel has no transparent huge pages";
  if (setting.find("[never]") != std::string::npos) {
    return "huge pages are switched off; as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
  }
  return "the system gave no huge pages, as its memory is too fragmented or its container forbids them; they may be "
         "there after a restart";
}

}  // namespace sonde::os
