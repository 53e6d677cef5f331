#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "device/device.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// Which words of the buffer change in a round: one anywhere, one in each of some pages, or all of them.
enum class Touch { word, pages, all };

/// Pages that are touched, spread over the buffer; fewer where it has not so many.
inline constexpr std::uint32_t most_touched_pages = 512;
/// What the kernel's loops and its 32-bit words reach.
inline constexpr std::uint64_t most_round_bytes = 1ull << 30;

/// Which way the words go; `within`: the CPU looks again, with nothing in between, which is what looking itself costs.
enum class Way { to_host, to_device, within };

/// The words of a record file that name these curves.
std::map<std::string, std::string> series_of(Touch touch, Way way);
/// Of the kernel alone that writes all words, by the device's clock.
std::map<std::string, std::string> series_of_kernel();
/// Of a copy of the whole buffer that was asked for: from and to pageable memory, or pinned.
std::map<std::string, std::string> series_of_explicit_copy(Way way, const std::string& host);

/// Both sides write a buffer whole, then one changes words and the other has to find them, round by round, by the
/// host's clock, in us. `with_all`: rounds in which all of it changes, too; `with_copy`: also copies that are asked
/// for.
Workload zero_copy_rounds(device::Device& device, const std::string& memory, std::uint64_t bytes, std::uint64_t seed,
                          bool with_all, bool with_copy);

}  // namespace sonde::probes
