#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "os/pages.hpp"

namespace sonde::os {
namespace {

std::byte* map(std::uint64_t bytes) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(mapped);
}

}  // namespace

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

Pages::Pages(std::uint64_t bytes) : data_(map(bytes)), bytes_(bytes) {}

Pages::~Pages() { munmap(data_, bytes_); }

void prefer(PageKind kind, void* begin, std::uint64_t bytes) {
  (void)madvise(begin, bytes, kind == PageKind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

}  // namespace sonde::os
