#pragma once

#include <random>

#include "probes/probe.hpp"

// What the zero-copy probe measures and finds.
namespace sonde::probes::zero_copy_probe {

/// Both sides write a buffer whole, then one changes words and the other has to find them, round by round, by the
/// host's clock. Small buffers also have rounds in which all of it changes, and copies that are asked for.
Workload prepare_rounds(device::Device& device, const Point& point, const Request& request);

// `order` says which words change in a round: independent, one anywhere; page, one in each of some pages; cycle, all of
// them.
inline constexpr Curve round{.name = "round",
                             .varies = "direction, memory, order",
                             .title = "Round in which one side changes words and the other finds them",
                             .unit = units::us,
                             .prepare = prepare_rounds};
inline constexpr Curve read_again{.name = "read-again",
                                  .words = {.direction = Direction::within, .side = Side::cpu},
                                  .varies = "memory, order",
                                  .title = "The CPU reading the words again, with nothing in between",
                                  .unit = units::us};
inline constexpr Curve kernel_alone{.name = "kernel-alone",
                                    .words = {.direction = Direction::within, .order = Order::cycle, .side = Side::gpu},
                                    .varies = "memory",
                                    .title = "The kernel that writes all words, by the device's clock",
                                    .unit = units::us};
inline constexpr Curve explicit_copy{.name = "explicit-copy",
                                     .words = {.engine = Engine::driver, .order = Order::cycle},
                                     .varies = "direction, host, memory",
                                     .title = "Copy of the whole buffer that was asked for",
                                     .unit = units::us};

/// A verdict on a kind of memory in a direction.
constexpr FindingKind verdict(std::string_view name, std::string_view heading, std::string_view meaning,
                              Unit unit = {""}) {
  return {.name = name,
          .heading = heading,
          .meaning = meaning,
          .unit = unit,
          .named_by = "memory, direction",
          .feature = "zero-copy",
          .compared = Comparison::by_word};
}

inline constexpr FindingKind shared_without_copy = verdict(
    "zero-copy", "Shared without a copy",
    "No time grows with the size of the buffer; the value is that of a round in the largest buffer.", units::us);
inline constexpr FindingKind copies = verdict(
    "copies", "Copied, not shared",
    "The driver copies the whole buffer when one word of it changes; the value is the rate of that copy.", units::gbps);
inline constexpr FindingKind cache_maintenance = verdict(
    "cache-maintenance", "Cache maintenance",
    "The driver works on every line of the buffer, but faster than any copy; the value is the rate of that work.",
    units::gbps);
inline constexpr FindingKind migrates =
    verdict("migrates", "Pages migrate",
            "Memory moves page by page when it is touched; the value is the time of each page.", units::us);
inline constexpr FindingKind unclear =
    verdict("unclear", "Unclear", "Whether this memory is shared could not be decided.");
inline constexpr FindingKind unsupported =
    verdict("unsupported", "Not supported", "The device lacks this kind of memory, or the CPU cannot look at it.");

/// Every system's pages are whole numbers of these.
inline constexpr double page_bytes = 4096;
/// Pages that are touched, spread over the buffer; fewer where it has not so many.
inline constexpr std::uint32_t most_touched_pages = 512;

/// Copies that are asked for, of so many bytes as the buffer has: from or to pageable memory, and pinned memory where
/// the device has such copies. Throws device::Error where one does not hold what was copied.
std::vector<ExtraValues> explicit_copies(device::Device& device, device::Buffer& buffer, Direction direction,
                                         std::mt19937_64& random, const std::function<void()>& alive);

/// The verdict on one kind of memory in one direction, and whether further visits may settle an unclear one.
struct SharingVerdict {
  Finding finding;
  bool is_open = false;
};

/// The verdicts on each kind and direction that was measured.
std::vector<SharingVerdict> sharing_verdicts(std::span<const Measurement> measurements);

}  // namespace sonde::probes::zero_copy_probe
