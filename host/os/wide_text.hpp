#pragma once

#include <string>
#include <string_view>

// Of Windows alone: for the sources beside it.
namespace sonde::os {

/// UTF-8 as the system's calls want it, UTF-16, and back. What is no valid text becomes U+FFFD.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

}  // namespace sonde::os
