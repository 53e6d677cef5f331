#pragma once

#include <windows.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

// What the sources for Windows share. No other system compiles it.
namespace sonde::os {

struct CloseHandleOf {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};

/// A handle that is closed with this object.
using OwnHandle = std::unique_ptr<HANDLE, CloseHandleOf>;

/// Some calls report failure by INVALID_HANDLE_VALUE and others by null: here both are null.
inline OwnHandle own(HANDLE handle) { return OwnHandle(handle == INVALID_HANDLE_VALUE ? nullptr : handle); }

/// The system's calls take UTF-16 and the rest of the program is in UTF-8. Invalid text becomes U+FFFD.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

/// The error of the last system call, as C's error code where there is one, so that callers and users read the same on
/// every system.
std::error_code last_error();

[[noreturn]] void throw_last_error(const char* what);

/// A console's handler by which a process takes no notice of Ctrl-C and the like.
inline BOOL WINAPI ignore_event(DWORD) { return TRUE; }

/// One text that CommandLineToArgvW splits into the program's name and its arguments again.
std::wstring command_line(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// The file that a shell would start for this name: PATHEXT's endings are tried where it has none, and the PATH is
/// searched where it has no folder. Empty where there is none.
std::filesystem::path program_named(const std::filesystem::path& name);

/// Whether the command interpreter runs this file, which splits arguments by rules of its own.
bool is_script(const std::filesystem::path& file);

}  // namespace sonde::os
