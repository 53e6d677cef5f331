#pragma once

#include <filesystem>
#include <optional>
#include <string>

// What the system says of the processor, in files below `root`, which is / but in tests.
namespace sonde::os {

/// As its maker calls it; where nobody says that, as on most Arm processors, by the numbers of its cores, one name for
/// each kind of them. Empty where there is nothing at all.
std::string processor_name(const std::filesystem::path& root);

/// Whether this is a virtual machine; empty where nothing tells, as x86-64 alone has to.
std::optional<bool> is_virtualised(const std::filesystem::path& root);

}  // namespace sonde::os
