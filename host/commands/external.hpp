#pragma once

#include <string>
#include <vector>

namespace sonde::commands {

/// Becomes sonde-NAME from the program's own folder, from ../lib/sonde beside it, or from the PATH, as git does with
/// commands it does not know.
/// Returns only when there is none, by throwing UsageError.
[[noreturn]] void run_external(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace sonde::commands
