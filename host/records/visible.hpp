#pragma once

#include <string>
#include <string_view>

namespace sonde::records {

/// A text from a driver or a file as a terminal may be sent it: control characters but line feeds become \x1b.
std::string visible(std::string_view text);

}  // namespace sonde::records
