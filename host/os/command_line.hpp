#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Of Windows alone: for the sources beside it.
namespace sonde::os {

/// What CommandLineToArgvW takes apart into a program's name and its arguments again.
std::wstring command_line(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// The file that a name means, as a command line's reader would find it: with one of PATHEXT's endings added where it
/// has none, in the PATH where it has no folder. Empty where there is none.
std::filesystem::path program_named(const std::filesystem::path& name);

/// Whether a file is for the system's command interpreter, which takes its arguments apart in its own way.
bool is_script(const std::filesystem::path& file);

}  // namespace sonde::os
