#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device.hpp"

namespace sonde::probes {

/// A random single cycle over `count` lines (Sattolo, 1986): element i is the line after line i. The same seed gives
/// the same cycle on every platform.
std::vector<std::uint32_t> random_cycle(std::uint32_t count, std::uint64_t seed);

/// Turns a cycle into each line's place in it, counted from line 0, in the same memory; false when it was not one
/// cycle over all lines.
bool cycle_to_places(std::vector<std::uint32_t>& cycle);

/// Writes the cycle into device memory: the first word of each line holds the index of the next line's first
/// word, the rest is random, so that no memory controller can compress it. Memory beside the cycle: 4 MiB.
void write_cycle(gpu::Buffer& buffer, const std::vector<std::uint32_t>& cycle, std::uint32_t line_bytes,
                 std::uint64_t seed);

}  // namespace sonde::probes
