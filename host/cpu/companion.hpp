#pragma once

#include <cstddef>
#include <memory>

#include "gpu/companion.hpp"

namespace sonde::cpu {

/// A thread on a core of its own that follows the chain of pointers at `start`, which must outlive it and never ends.
[[nodiscard]] std::unique_ptr<gpu::Companion> chase_on(int cpu, const std::byte* start);

}  // namespace sonde::cpu
