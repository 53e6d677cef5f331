#pragma once

#include "probes/probe.hpp"

// What the zero-copy probe measures and finds.
namespace sonde::probes::zero_copy_probe {

Workload prepare_rounds(device::Device& device, const Point& point, const Request& request);

// `order` says which words change in a round: independent, one anywhere; page, one in each of some pages; cycle, all of
// them.
inline constexpr measure::Curve round{.name = "round",
                                      .varies = "direction, memory, order",
                                      .title = "Round in which one side changes words and the other finds them",
                                      .unit = "us",
                                      .better = measure::Better::lower,
                                      .prepare = prepare_rounds};
inline constexpr measure::Curve read_again{
    .name = "read-again",
    .words = {.direction = measure::Direction::within, .side = measure::Side::cpu},
    .varies = "memory, order",
    .title = "The CPU reading the words again, with nothing in between",
    .unit = "us",
    .better = measure::Better::lower};
inline constexpr measure::Curve kernel_alone{
    .name = "kernel-alone",
    .words = {.direction = measure::Direction::within, .order = measure::Order::cycle, .side = measure::Side::gpu},
    .varies = "memory",
    .title = "The kernel that writes all words, by the device's clock",
    .unit = "us",
    .better = measure::Better::lower};
inline constexpr measure::Curve explicit_copy{
    .name = "explicit-copy",
    .words = {.engine = measure::Engine::driver, .order = measure::Order::cycle},
    .varies = "direction, host, memory",
    .title = "Copy of the whole buffer that was asked for",
    .unit = "us",
    .better = measure::Better::lower};

inline constexpr measure::FindingKind shared_without_copy{
    .name = "zero-copy",
    .heading = "Shared without a copy",
    .meaning = "No time grows with the size of the buffer; the value is that of a round in the largest buffer.",
    .better = measure::Better::lower,
    .named_by = "memory, direction",
    .compared = measure::Comparison::by_word,
    .feature = "zero-copy"};
inline constexpr measure::FindingKind copies{
    .name = "copies",
    .heading = "Copied, not shared",
    .meaning = "The driver copies the whole buffer when one word of it changes; the value is the rate of that copy.",
    .better = measure::Better::higher,
    .named_by = "memory, direction",
    .compared = measure::Comparison::by_word,
    .feature = "zero-copy"};
inline constexpr measure::FindingKind cache_maintenance{
    .name = "cache-maintenance",
    .heading = "Cache maintenance",
    .meaning =
        "The driver works on every line of the buffer, but faster than any copy; the value is the rate of that work.",
    .better = measure::Better::higher,
    .named_by = "memory, direction",
    .compared = measure::Comparison::by_word,
    .feature = "zero-copy"};
inline constexpr measure::FindingKind migrates{
    .name = "migrates",
    .heading = "Pages migrate",
    .meaning = "Memory moves page by page when it is touched; the value is the time of each page.",
    .better = measure::Better::lower,
    .named_by = "memory, direction",
    .compared = measure::Comparison::by_word,
    .feature = "zero-copy"};
inline constexpr measure::FindingKind unclear{.name = "unclear",
                                              .heading = "Unclear",
                                              .meaning = "Whether this memory is shared could not be decided.",
                                              .named_by = "memory, direction",
                                              .compared = measure::Comparison::by_word,
                                              .feature = "zero-copy"};
inline constexpr measure::FindingKind unsupported{.name = "unsupported",
                                                  .heading = "Not supported",
                                                  .meaning =
                                                      "The device lacks this kind of memory, or the CPU cannot "
                                                      "look at it.",
                                                  .named_by = "memory, direction",
                                                  .compared = measure::Comparison::by_word,
                                                  .feature = "zero-copy"};

}  // namespace sonde::probes::zero_copy_probe
