#pragma once

#include <cstddef>
#include <memory>

#include "gpu/companion.hpp"

namespace sonde::cpu {

/// A thread on a core of its own that follows the chain of pointers from where `at` stands, which never ends, and
/// leaves it where it stops. Both have to outlive it. The next begins there: one that went back to the start would find
/// in a cache what the one before has just read.
[[nodiscard]] std::unique_ptr<gpu::Companion> chase_on(int cpu, const std::byte*& at);

}  // namespace sonde::cpu
