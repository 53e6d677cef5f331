#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "os/terminal.hpp"

// Source: "Console Virtual Terminal Sequences".
namespace sonde::os {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

HANDLE handle_of(StandardStream stream) {
  return GetStdHandle(stream == StandardStream::output ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

/// Switches the console to UTF-8 and to escape sequences, and gives the user's code page back at the end.
class ConsoleSettings {
 public:
  ConsoleSettings() : code_page_(GetConsoleOutputCP()) {
    if (code_page_ != 0) SetConsoleOutputCP(CP_UTF8);
    for (const StandardStream stream : {StandardStream::output, StandardStream::errors}) {
      DWORD mode = 0;
      if (GetConsoleMode(handle_of(stream), &mode) == 0) continue;
      SetConsoleMode(handle_of(stream), mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
  }
  ~ConsoleSettings() {
    if (code_page_ != 0) SetConsoleOutputCP(code_page_);
  }
  ConsoleSettings(const ConsoleSettings&) = delete;
  ConsoleSettings& operator=(const ConsoleSettings&) = delete;

 private:
  UINT code_page_;
};

}  // namespace

void open_standard_streams() {
  const std::array<std::pair<FILE*, const wchar_t*>, 3> streams{{{stdin, L"rb"}, {stdout, L"wb"}, {stderr, L"wb"}}};
  const std::array<DWORD, 3> names{STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  for (std::size_t index = 0; index < streams.size(); ++index) {
    const auto [stream, mode] = streams[index];
    const HANDLE handle = GetStdHandle(names[index]);
    const bool open = handle != nullptr && handle != INVALID_HANDLE_VALUE && _fileno(stream) >= 0 &&
                      GetFileType(handle) != FILE_TYPE_UNKNOWN;
    if (!open && _wfreopen(L"NUL", mode, stream) != nullptr)
      SetStdHandle(names[index], reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(stream))));
    // Lines end in \n alone, as on other systems; every program on Windows reads that.
    if (_fileno(stream) >= 0) _setmode(_fileno(stream), _O_BINARY);
  }
  std::setvbuf(stderr, nullptr, _IONBF, 0);
  static const ConsoleSettings settings;
}

bool is_terminal(StandardStream stream) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(stream), &mode) != 0 && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 &&
         environment("TERM") != "dumb";
}

int terminal_columns(StandardStream stream) {
  CONSOLE_SCREEN_BUFFER_INFO about;
  if (GetConsoleScreenBufferInfo(handle_of(stream), &about) == 0) return 0;
  return about.srWindow.Right - about.srWindow.Left + 1;
}

bool output_has_colour() { return is_terminal(StandardStream::output) && environment("NO_COLOR").empty(); }

}  // namespace sonde::os
