#pragma once

#include <cstddef>
#include <memory>

#include "device/companion.hpp"

namespace sonde::cpu {

/// Loads of one window: about a tenth of a millisecond in memory, short beside a dispatch, long beside two readings of
/// the clock. A chase makes as many before its first window.
inline constexpr int loads_in_a_window = 1024;

/// A thread on a core of its own that follows the chain of pointers from where `at` stands, which never ends, and
/// leaves it where it stops. Both have to outlive it. The next begins there: one that went back to the start would find
/// in a cache what the one before has just read.
[[nodiscard]] std::unique_ptr<device::Companion> chase_on(int cpu, const std::byte*& at);

}  // namespace sonde::cpu
