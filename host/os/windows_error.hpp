#pragma once

#include <system_error>

// Of Windows alone: for the sources beside it.
namespace sonde::os {

/// What the last call of the system's was refused for, by the name that C has for it where it has one, so that callers
/// and users read the same on every system.
std::error_code last_error();

[[noreturn]] void throw_last_error(const char* what);

}  // namespace sonde::os
