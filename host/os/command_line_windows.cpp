#include <windows.h>

#include <array>
#include <string>
#include <system_error>

#include "os/command_line.hpp"
#include "os/wide_text.hpp"

// Source: CommandLineToArgvW; SearchPath; "Everyone quotes command line arguments the wrong way" on what backslashes
// before a quote mean.
namespace sonde::os {
namespace {

/// A script's line is read by the command interpreter first, to which nothing but a quote ends what is between quotes.
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
    // Backslashes stand for themselves but before a quote, where two are one.
    text.append(letter == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
    backslashes = 0;
    text += letter;
  }
  text.append(2 * backslashes, L'\\');
  return text + L'"';
}

/// The endings of programs.
std::vector<std::wstring> endings() {
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

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::filesystem::path found(const std::filesystem::path& name) {
  if (name.has_parent_path()) return is_file(name) ? name : std::filesystem::path();
  // In the PATH alone, and not in the folder that this program works in.
  std::vector<wchar_t> path(1 << 15);
  const DWORD units = GetEnvironmentVariableW(L"PATH", path.data(), static_cast<DWORD>(path.size()));
  std::array<wchar_t, 1024> file{};
  if (units == 0 || units >= path.size()) return {};
  return SearchPathW(path.data(), name.c_str(), nullptr, static_cast<DWORD>(file.size()), file.data(), nullptr) != 0
             ? std::filesystem::path(file.data())
             : std::filesystem::path();
}

}  // namespace

std::wstring command_line(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  const bool script = is_script(program);
  std::wstring line = L'"' + program.native() + L'"';
  for (const std::string& argument : arguments) {
    // Within quotes it would still put the environment in place of %NAME%, and end them at a quote.
    if (script && argument.find_first_of("\"%\r\n") != std::string::npos)
      throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                              "a script cannot be given an argument with a quote, a % or a new line: " + argument);
    line += L' ' + quoted(wide(argument), script);
  }
  return line;
}

std::filesystem::path program_named(const std::filesystem::path& name) {
  for (const std::wstring& ending : endings()) {
    if (_wcsicmp(name.extension().c_str(), ending.c_str()) == 0) return found(name);
  }
  for (const std::wstring& ending : endings()) {
    if (std::filesystem::path file = found(name.native() + ending); !file.empty()) return file;
  }
  return {};
}

bool is_script(const std::filesystem::path& file) {
  const std::wstring ending = file.extension().native();
  return _wcsicmp(ending.c_str(), L".bat") == 0 || _wcsicmp(ending.c_str(), L".cmd") == 0;
}

}  // namespace sonde::os
