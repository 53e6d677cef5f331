#include <windows.h>

#include <psapi.h>

#include <new>
#include <vector>

#include "os/pages.hpp"
#include "os/windows.hpp"

// Source: VirtualAlloc, "Large-Page Support"; QueryWorkingSetEx. Large pages are chosen when memory is allocated, and
// only a user who has the right "Lock pages in memory" gets any.
namespace sonde::os {
namespace {

/// Enables the right where this user has it, once.
bool may_lock_pages() {
  static const bool may = [] {
    HANDLE raw = nullptr;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &raw) == 0) return false;
    const OwnHandle token = own(raw);
    TOKEN_PRIVILEGES rights{};
    rights.PrivilegeCount = 1;
    rights.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
    if (LookupPrivilegeValueW(nullptr, L"SeLockMemoryPrivilege", &rights.Privileges[0].Luid) == 0) return false;
    return AdjustTokenPrivileges(token.get(), FALSE, &rights, 0, nullptr, nullptr) != 0 &&
           GetLastError() == ERROR_SUCCESS;
  }();
  return may;
}

std::byte* allocate_pages(std::uint64_t bytes, PageKind kind) {
  constexpr DWORD flags = MEM_RESERVE | MEM_COMMIT;
  void* pages = nullptr;
  if (kind == PageKind::huge && may_lock_pages())
    pages = VirtualAlloc(nullptr, bytes, flags | MEM_LARGE_PAGES, PAGE_READWRITE);
  if (pages == nullptr) pages = VirtualAlloc(nullptr, bytes, flags, PAGE_READWRITE);
  if (pages == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(pages);
}

}  // namespace

std::uint64_t page_bytes() {
  SYSTEM_INFO about;
  GetSystemInfo(&about);
  return about.dwPageSize;
}

Pages::Pages(std::uint64_t bytes, PageKind kind) : data_(allocate_pages(bytes, kind)), bytes_(bytes) {}

Pages::~Pages() { VirtualFree(data_, 0, MEM_RELEASE); }

void prefer(PageKind, void*, std::uint64_t) {}  // the constructor has chosen

std::uint64_t huge_bytes_of(const void* begin, std::uint64_t bytes) {
  const std::uint64_t step = GetLargePageMinimum();
  if (step == 0) return 0;
  std::vector<PSAPI_WORKING_SET_EX_INFORMATION> pages;
  for (std::uint64_t at = 0; at < bytes; at += step) {
    PSAPI_WORKING_SET_EX_INFORMATION page{};
    page.VirtualAddress = static_cast<std::byte*>(const_cast<void*>(begin)) + at;
    pages.push_back(page);
  }
  if (QueryWorkingSetEx(GetCurrentProcess(), pages.data(),
                        static_cast<DWORD>(pages.size() * sizeof(PSAPI_WORKING_SET_EX_INFORMATION))) == 0)
    return 0;
  std::uint64_t sum = 0;
  for (const PSAPI_WORKING_SET_EX_INFORMATION& page : pages) {
    if (page.VirtualAttributes.Valid != 0 && page.VirtualAttributes.LargePage != 0) sum += step;
  }
  return sum;
}

std::string why_no_huge_pages() {
  if (GetLargePageMinimum() == 0) return "this system has no large pages";
  if (!may_lock_pages()) {
    return "this user may not have large pages: give it the right 'Lock pages in memory' (secpol.msc, Local Policies, "
           "User Rights Assignment), and sign in again";
  }
  return "the system gave no large pages, as its memory is too fragmented; they may be there after a restart";
}

}  // namespace sonde::os
