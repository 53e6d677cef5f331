#pragma once

#include <string>

#include "os/library.hpp"

namespace sonde::device {

/// Why an API's loader ("OpenCL", "Vulkan") could not be loaded, and what to do: that there is none is said only where
/// there is none. `package` has it on Debian and Ubuntu.
std::string loader_problem(const std::string& api, const std::string& package, const os::Library& loader);

}  // namespace sonde::device
