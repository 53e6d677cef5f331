#include <windows.h>

#include <string>
#include <system_error>

#include "os/command.hpp"
#include "os/command_line.hpp"
#include "os/file.hpp"
#include "os/windows_error.hpp"
#include "os/windows_handle.hpp"

// Source: CreateProcess. What a console sends, Ctrl-C among it, reaches every process that it has.
namespace sonde::os {
namespace {

OwnHandle running;  ///< the one that there is at a time

BOOL WINAPI leave_to_the_command(DWORD event) {
  return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? TRUE : FALSE;
}

}  // namespace

bool is_program(const std::string& name) { return !program_named(path_of(name)).empty(); }

void yield_to_others() { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST); }

Command::Command(const std::vector<std::string>& words) {
  SetConsoleCtrlHandler(leave_to_the_command, TRUE);
  const std::filesystem::path program = program_named(path_of(words.front()));
  std::wstring line = command_line(program, {words.begin() + 1, words.end()});
  STARTUPINFOW how{};
  how.cb = sizeof how;
  PROCESS_INFORMATION started{};
  if (CreateProcessW(is_script(program) ? nullptr : program.c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr,
                     nullptr, &how, &started) == 0)
    throw_last_error(("starting " + words.front()).c_str());
  CloseHandle(started.hThread);
  running = own(started.hProcess);
  id_ = static_cast<int>(started.dwProcessId);
}

Command::~Command() {
  if (running) WaitForSingleObject(running.get(), INFINITE);
  running.reset();
  SetConsoleCtrlHandler(leave_to_the_command, FALSE);
}

std::optional<int> Command::status() {
  if (!status_ && WaitForSingleObject(running.get(), 0) == WAIT_OBJECT_0) {
    DWORD code = 0;
    GetExitCodeProcess(running.get(), &code);
    status_ = static_cast<int>(code);
  }
  return status_;
}

}  // namespace sonde::os
