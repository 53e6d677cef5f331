#include "os/windows.hpp"

#include <array>

// Source: CommandLineToArgvW; SearchPath; "Everyone quotes command line arguments the wrong way" on what backslashes
// before a quote mean.
namespace sonde::os {
namespace {

std::error_code error_of(DWORD code) {
  switch (code) {
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return std::make_error_code(std::errc::file_exists);
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE: return std::make_error_code(std::errc::no_such_file_or_directory);
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT: return std::make_error_code(std::errc::permission_denied);
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return std::make_error_code(std::errc::no_space_on_device);
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_INVALID_PARAMETER: return std::make_error_code(std::errc::invalid_argument);
    case ERROR_FILENAME_EXCED_RANGE: return std::make_error_code(std::errc::filename_too_long);
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return std::make_error_code(std::errc::not_enough_memory);
    default: return {static_cast<int>(code), std::system_category()};
  }
}

/// A script's line is read by the command interpreter first, in which only a quote ends a quoted word.
std::wstring quoted(const std::wstring& word, bool script) {
  if (script) return L'"' + word + L'"';
  if (!word.empty() && word.find_first_of(L" \t\n\v\"") == std::wstring::npos) return word;
  std::wstring text = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t letter : word) {
    if (letter == L'\\') {
      ++backslashes;
      continue;
    }
    // Backslashes are doubled only before a quote.
    text.append(letter == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
    backslashes = 0;
    text += letter;
  }
  text.append(2 * backslashes, L'\\');
  return text + L'"';
}

std::vector<std::wstring> program_endings() {
  std::array<wchar_t, 1024> text{};
  const DWORD units = GetEnvironmentVariableW(L"PATHEXT", text.data(), static_cast<DWORD>(text.size()));
  std::wstring rest = units > 0 && units < text.size() ? std::wstring(text.data(), units) : L".COM;.EXE;.BAT;.CMD";
  std::vector<std::wstring> all;
  while (!rest.empty()) {
    const std::size_t end = rest.find(L';');
    if (end != 0) all.push_back(rest.substr(0, end));
    rest.erase(0, end == std::wstring::npos ? end : end + 1);
  }
  return all;
}

std::filesystem::path found_in_path(const std::filesystem::path& name) {
  if (name.has_parent_path()) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(name, ignored) ? name : std::filesystem::path();
  }
  // SearchPath's default would search the working folder too, where anybody may have put a program.
  std::vector<wchar_t> path(1 << 15);
  const DWORD units = GetEnvironmentVariableW(L"PATH", path.data(), static_cast<DWORD>(path.size()));
  std::array<wchar_t, 1024> file{};
  if (units == 0 || units >= path.size()) return {};
  return SearchPathW(path.data(), name.c_str(), nullptr, static_cast<DWORD>(file.size()), file.data(), nullptr) != 0
             ? std::filesystem::path(file.data())
             : std::filesystem::path();
}

}  // namespace

std::wstring wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring result(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, result.data(), static_cast<int>(result.size()));
  return result;
}

std::string narrow(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  std::string result(
      static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr)),
      '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, result.data(), static_cast<int>(result.size()), nullptr, nullptr);
  return result;
}

std::error_code last_error() { return error_of(GetLastError()); }

void throw_last_error(const char* what) { throw std::system_error(last_error(), what); }

std::wstring command_line(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  const bool script = is_script(program);
  std::wstring line = L'"' + program.native() + L'"';
  for (const std::string& argument : arguments) {
    // The interpreter replaces %NAME% by the environment even between quotes, and has no way to quote a quote.
    if (script && argument.find_first_of("\"%\r\n") != std::string::npos)
      throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                              "a script cannot be given an argument with a quote, a % or a new line: " + argument);
    line += L' ' + quoted(wide(argument), script);
  }
  return line;
}

std::filesystem::path program_named(const std::filesystem::path& name) {
  const std::vector<std::wstring> endings = program_endings();
  for (const std::wstring& ending : endings) {
    if (_wcsicmp(name.extension().c_str(), ending.c_str()) == 0) return found_in_path(name);
  }
  for (const std::wstring& ending : endings) {
    if (std::filesystem::path file = found_in_path(name.native() + ending); !file.empty()) return file;
  }
  return {};
}

bool is_script(const std::filesystem::path& file) {
  const std::wstring ending = file.extension().native();
  return _wcsicmp(ending.c_str(), L".bat") == 0 || _wcsicmp(ending.c_str(), L".cmd") == 0;
}

}  // namespace sonde::os
