#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <algorithm>
#include <array>
#include <utility>

#include "os/this_process.hpp"
#include "os/windows.hpp"

// Source: CommandLineToArgvW; SetConsoleCtrlHandler, whose handler runs in a thread of its own; "Console Virtual
// Terminal Sequences".
namespace sonde::os {
namespace {

std::atomic<bool> was_interrupted_by_user = false;

BOOL WINAPI note_interrupt(DWORD event) {
  was_interrupted_by_user = true;
  // When the console is closed, the process ends as soon as this returns, or after some seconds: in those the program
  // can still write what was measured.
  if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT) Sleep(INFINITE);
  return TRUE;
}

LONG WINAPI end_at_once(EXCEPTION_POINTERS* about) {
  TerminateProcess(GetCurrentProcess(), about->ExceptionRecord->ExceptionCode);
  return EXCEPTION_EXECUTE_HANDLER;
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

std::vector<std::string> arguments_of(int, char**) {
  // Those of main have a question mark for each letter that the user's code page lacks.
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> all;
  for (int index = 0; index < count; ++index) all.push_back(narrow(words[index]));
  LocalFree(words);
  return all;
}

// A running program's file cannot be replaced here.
std::filesystem::path running_program() { return program_file(); }

std::filesystem::path program_file() {
  std::vector<wchar_t> name(1 << 15);
  const DWORD units = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
  return std::wstring(name.data(), units);
}

void set_environment_unless_set(const std::string& name, const std::string& value) {
  if (GetEnvironmentVariableW(wide(name).c_str(), nullptr, 0) != 0) return;
  _wputenv_s(wide(name).c_str(), wide(value).c_str());  // in the C library's copy, and in the system's
}

ChangedEnvironment::ChangedEnvironment(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const wchar_t* const value = _wgetenv(wide(name).c_str());
    before_.emplace_back(name, value != nullptr ? std::optional(narrow(value)) : std::nullopt);
    _wputenv_s(wide(name).c_str(), wide(setting.substr(equals + 1)).c_str());
  }
}

ChangedEnvironment::~ChangedEnvironment() {
  // An empty value removes a variable here.
  for (auto one = before_.rbegin(); one != before_.rend(); ++one)
    _wputenv_s(wide(one->first).c_str(), wide(one->second.value_or("")).c_str());
}

const std::atomic<bool>& interrupted() { return was_interrupted_by_user; }

void watch_for_interrupt() {
  SetConsoleCtrlHandler(nullptr, FALSE);  // a parent may have had it ignored
  SetConsoleCtrlHandler(note_interrupt, TRUE);
}

// A file cannot give its program rights on Windows, so that there are none to drop.
void drop_capabilities() {}

void keep_only_perfmon_capability() {}

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
  const char* const kind = std::getenv("TERM");
  return GetConsoleMode(handle_of(stream), &mode) != 0 && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 &&
         (kind == nullptr || std::string_view(kind) != "dumb");
}

TerminalSize terminal_size(StandardStream stream) {
  CONSOLE_SCREEN_BUFFER_INFO about;
  if (GetConsoleScreenBufferInfo(handle_of(stream), &about) == 0) return {};
  return {.columns = about.srWindow.Right - about.srWindow.Left + 1,
          .lines = about.srWindow.Bottom - about.srWindow.Top + 1};
}

WorkerChannel::WorkerChannel() : questions_(_dup(_fileno(stdin))), results_(_dup(_fileno(stdout))) {
  for (std::FILE* file : {stdin, stdout, stderr}) _setmode(_fileno(file), _O_BINARY);
  for (const int descriptor : {questions_, results_})
    SetHandleInformation(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), HANDLE_FLAG_INHERIT, 0);
  // The job that the parent put this process into ends it with the parent.
  SetConsoleCtrlHandler(ignore_event, TRUE);
  // The parent reports a crash; no window and no debugger shall wait for the user.
  SetUnhandledExceptionFilter(end_at_once);
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  _dup2(_fileno(stderr), _fileno(stdout));
  SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
  const int nothing = _open("NUL", _O_RDONLY | _O_NOINHERIT);
  _dup2(nothing, _fileno(stdin));
  _close(nothing);
}

std::string WorkerChannel::read() const {
  std::string bytes(65536, '\0');
  const int count = _read(questions_, bytes.data(), static_cast<unsigned>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max(count, 0)));
  return bytes;
}

void WorkerChannel::write(std::string_view text) const {
  while (!text.empty()) {
    const int written =
        _write(results_, text.data(), static_cast<unsigned>(std::min<std::size_t>(text.size(), 1 << 20)));
    if (written <= 0) exit(1);  // the parent is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void WorkerChannel::exit(int status) {
  std::fflush(nullptr);
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(status));
  std::abort();
}

}  // namespace sonde::os
