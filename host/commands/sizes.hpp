#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace sonde::commands {

/// Bytes in "4K", "1.5M" or "2GiB"; powers of 1024. Throws UsageError.
std::uint64_t parse_size(const std::string& text);

/// "4K:1G" as {least, most}; throws UsageError unless 0 < least <= most.
std::pair<std::uint64_t, std::uint64_t> parse_size_range(const std::string& text);

}  // namespace sonde::commands
