#include <windows.h>

#include <array>

#include "os/library.hpp"
#include "os/windows.hpp"

// Source: LoadLibraryEx. The folder in which a program is started is not searched: anybody who may write there could
// run code in it.
namespace sonde::os {
namespace {

bool is_there(const std::wstring& file) {
  std::array<wchar_t, MAX_PATH> found{};
  return SearchPathW(nullptr, file.c_str(), nullptr, static_cast<DWORD>(found.size()), found.data(), nullptr) != 0;
}

}  // namespace

const char* const opencl_loader = "OpenCL.dll";
const char* const vulkan_loader = "vulkan-1.dll";
const char* const nvidia_management = "nvml.dll";

std::string loader_package(const std::string&) { return "(a GPU's driver brings it)"; }

Library::Library(const std::string& file) {
  const std::wstring name = wide(file);
  const bool is_path = name.find_first_of(L"/\\") != std::wstring::npos;
  handle_.reset(LoadLibraryExW(name.c_str(), nullptr,
                               is_path ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS));
  if (handle_) return;
  const bool not_found = GetLastError() == ERROR_MOD_NOT_FOUND;
  why_not_ = file + ": " + last_error().message();
  is_missing_ = not_found && !is_there(name);  // else a library that this one needs is missing
}

std::string Library::file() const {
  std::array<wchar_t, MAX_PATH> path{};
  if (!handle_) return "";
  const DWORD length =
      GetModuleFileNameW(static_cast<HMODULE>(handle_.get()), path.data(), static_cast<DWORD>(path.size()));
  return narrow({path.data(), length});
}

void* Library::symbol(const char* name) const {
  return handle_ ? reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_.get()), name)) : nullptr;
}

void Library::Close::operator()(void* library) const { FreeLibrary(static_cast<HMODULE>(library)); }

}  // namespace sonde::os
