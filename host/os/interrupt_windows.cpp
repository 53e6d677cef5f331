#include <windows.h>

#include "os/interrupt.hpp"

// Source: SetConsoleCtrlHandler. The handler runs in a thread of its own.
namespace sonde::os {
namespace {

std::atomic<bool> flag = false;

BOOL WINAPI note(DWORD event) {
  flag = true;
  // Where the console is closed the process ends once this returns, or after some seconds: until then what was measured
  // can be written.
  if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

const std::atomic<bool>& interrupted() { return flag; }

void watch_for_interrupt() {
  SetConsoleCtrlHandler(nullptr, FALSE);  // a parent may have had it ignored
  SetConsoleCtrlHandler(note, TRUE);
}

}  // namespace sonde::os
