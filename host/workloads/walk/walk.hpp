#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "workloads/walk/line_layout.hpp"

namespace sonde::workloads {

/// A random single cycle over `count` lines (Sattolo, 1986): element i is the line after line i. The same seed gives
/// the same cycle on every platform.
std::vector<std::uint32_t> random_cycle(std::uint32_t count, std::uint64_t seed);

/// Turns a cycle into each line's place in it, counted from line 0, in the same memory; false when it was not one
/// cycle over all lines.
bool cycle_to_places(std::vector<std::uint32_t>& cycle);

/// Writes the cycle into device memory: the walk's word of each slot holds where the next slot's is, in units of
/// 2^offset_shift bytes; the rest is random, so that no memory controller can compress it, of slots beyond 4 KiB the
/// block of 4 KiB that the word is in. Memory beside the cycle: 4 MiB.
void write_cycle(device::Buffer& buffer, const std::vector<std::uint32_t>& cycle, const LineLayout& layout,
                 std::uint64_t seed, std::uint32_t offset_shift = 2);

/// The word that `write_words` puts at the start of a line; a function, so that no copy of memory is needed to check
/// what a device read.
std::uint32_t word_of_line(std::uint32_t line, std::uint64_t seed);

/// Fills `line_count` lines with random words, the first of each as `word_of_line` says.
void write_words(device::Buffer& buffer, std::uint32_t line_count, std::uint32_t line_bytes, std::uint64_t seed);

}  // namespace sonde::workloads
