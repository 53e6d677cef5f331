#pragma once

#include "probes/probe.hpp"

// What the zero-copy probe measures and finds.
namespace sonde::probes::zero_copy_probe {

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

inline constexpr FindingKind shared_without_copy{
    .name = "zero-copy",
    .heading = "Shared without a copy",
    .meaning = "No time grows with the size of the buffer; the value is that of a round in the largest buffer.",
    .better = Better::lower,
    .named_by = "memory, direction",
    .feature = "zero-copy",
    .compared = Comparison::by_word};
inline constexpr FindingKind copies{
    .name = "copies",
    .heading = "Copied, not shared",
    .meaning = "The driver copies the whole buffer when one word of it changes; the value is the rate of that copy.",
    .better = Better::higher,
    .named_by = "memory, direction",
    .feature = "zero-copy",
    .compared = Comparison::by_word};
inline constexpr FindingKind cache_maintenance{
    .name = "cache-maintenance",
    .heading = "Cache maintenance",
    .meaning =
        "The driver works on every line of the buffer, but faster than any copy; the value is the rate of that work.",
    .better = Better::higher,
    .named_by = "memory, direction",
    .feature = "zero-copy",
    .compared = Comparison::by_word};
inline constexpr FindingKind migrates{
    .name = "migrates",
    .heading = "Pages migrate",
    .meaning = "Memory moves page by page when it is touched; the value is the time of each page.",
    .better = Better::lower,
    .named_by = "memory, direction",
    .feature = "zero-copy",
    .compared = Comparison::by_word};
inline constexpr FindingKind unclear{.name = "unclear",
                                     .heading = "Unclear",
                                     .meaning = "Whether this memory is shared could not be decided.",
                                     .named_by = "memory, direction",
                                     .feature = "zero-copy",
                                     .compared = Comparison::by_word};
inline constexpr FindingKind unsupported{.name = "unsupported",
                                         .heading = "Not supported",
                                         .meaning =
                                             "The device lacks this kind of memory, or the CPU cannot "
                                             "look at it.",
                                         .named_by = "memory, direction",
                                         .feature = "zero-copy",
                                         .compared = Comparison::by_word};

}  // namespace sonde::probes::zero_copy_probe
