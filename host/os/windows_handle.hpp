#pragma once

#include <windows.h>

#include <memory>

// Of Windows alone: for the sources beside it.
namespace sonde::os {

struct CloseHandleOf {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};

/// A handle of the system's, closed with it; empty also for the value by which some calls say that they failed.
using OwnHandle = std::unique_ptr<HANDLE, CloseHandleOf>;

inline OwnHandle own(HANDLE handle) { return OwnHandle(handle == INVALID_HANDLE_VALUE ? nullptr : handle); }

}  // namespace sonde::os
