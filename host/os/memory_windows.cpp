#include <windows.h>

#include <algorithm>

#include "os/memory.hpp"

namespace sonde::os {

std::uint64_t available_memory_bytes() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return 0;
  // What is free of the machine's, and what this process may still be promised.
  return std::min(status.ullAvailPhys, status.ullAvailPageFile);
}

}  // namespace sonde::os
