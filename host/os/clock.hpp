#pragma once

#include <cstdint>

namespace sonde::os {

/// Nanoseconds of the steady clock, whose beginning means nothing.
std::int64_t steady_ns() noexcept;

/// Sleeps until that clock shows so much; at once where it has passed. To a moment and not for a time: what the caller
/// did before does not add up.
void sleep_until_ns(std::int64_t moment) noexcept;

}  // namespace sonde::os
