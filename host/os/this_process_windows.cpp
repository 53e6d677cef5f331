#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "os/this_process.hpp"
#include "os/windows.hpp"

// Source: CommandLineToArgvW; SetConsoleCtrlHandler, whose handler runs in a thread of its own.
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

BOOL WINAPI ignore_event(DWORD) { return TRUE; }

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

std::filesystem::path program_file() {
  std::vector<wchar_t> name(1 << 15);
  const DWORD units = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
  return std::wstring(name.data(), units);
}

void set_environment_unless_set(const std::string& name, const std::string& value) {
  if (GetEnvironmentVariableW(wide(name).c_str(), nullptr, 0) != 0) return;
  _wputenv_s(wide(name).c_str(), wide(value).c_str());  // in the C library's copy, and in the system's
}

const std::atomic<bool>& interrupted() { return was_interrupted_by_user; }

void watch_for_interrupt() {
  SetConsoleCtrlHandler(nullptr, FALSE);  // a parent may have had it ignored
  SetConsoleCtrlHandler(note_interrupt, TRUE);
}

// A file cannot give its program rights on Windows, so that there are none to drop.
void drop_capabilities() {}

void keep_only_perfmon_capability() {}

WorkerChannel::WorkerChannel() : results_(_dup(_fileno(stdout))) {
  for (const int file : {_fileno(stdin), _fileno(stdout), _fileno(stderr), results_}) _setmode(file, _O_BINARY);
  SetHandleInformation(reinterpret_cast<HANDLE>(_get_osfhandle(results_)), HANDLE_FLAG_INHERIT, 0);
  // The job that the parent put this process into ends it with the parent.
  SetConsoleCtrlHandler(ignore_event, TRUE);
  // The parent reports a crash; no window and no debugger shall wait for the user.
  SetUnhandledExceptionFilter(end_at_once);
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  _dup2(_fileno(stderr), _fileno(stdout));
  SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
}

std::string WorkerChannel::read_all() const {
  std::string text;
  std::array<char, 65536> bytes;
  for (;;) {
    const int count = _read(_fileno(stdin), bytes.data(), static_cast<unsigned>(bytes.size()));
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
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
