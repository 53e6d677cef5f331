#pragma once

#include <array>

#include "probes/probe.hpp"

// The curves of core-to-core, and what is concluded from them. `placement` says what lies between the two CPUs.
namespace sonde::probes::core_to_core_probe {

Workload prepare_exchange(device::Device& device, const Point& point, const Request& request);
Workload prepare_exchanges_at_once(device::Device& device, const Point& point, const Request& request);
Workload prepare_held_lines(device::Device& device, const Point& point, const Request& request);
Workload prepare_queue(device::Device& device, const Point& point, const Request& request);
Workload prepare_copy(device::Device& device, const Point& point, const Request& request);

inline constexpr Table round_trips_by_compare_and_swap{
    .title = "Round trip of a cache line from core to core by compare-and-swap", .rows = "from", .columns = "to"};
inline constexpr Table round_trips_by_stores{
    .title = "Round trip of a cache line from core to core by stores to two lines", .rows = "from", .columns = "to"};

inline constexpr Curve exchange_by_compare_and_swap{
    .name = "exchange-by-compare-and-swap",
    .words = {.exchange = Exchange::compare_and_swap, .line = LineState::modified},
    .varies = "placement",
    .title = "Round trip of a cache line by compare-and-swap",
    .unit = units::ns,
    .axis = axes::from,
    .table = &round_trips_by_compare_and_swap,
    .prepare = prepare_exchange};
/// Seen at the points of the exchange by compare-and-swap.
inline constexpr Curve exchange_by_stores{.name = "exchange-by-stores",
                                          .words = {.exchange = Exchange::store, .line = LineState::modified},
                                          .varies = "placement",
                                          .title = "Round trip of a cache line by stores to two lines",
                                          .unit = units::ns,
                                          .axis = axes::from,
                                          .table = &round_trips_by_stores};
inline constexpr Curve exchange_by_compare_and_swap_beside_pairs{
    .name = "exchange-by-compare-and-swap-beside-pairs",
    .words = {.beside = Beside::pairs, .exchange = Exchange::compare_and_swap, .line = LineState::modified},
    .varies = "placement",
    .title = "Round trip of a cache line by compare-and-swap, several pairs at once",
    .unit = units::ns,
    .axis = axes::from,
    .table = &round_trips_by_compare_and_swap,
    .prepare = prepare_exchanges_at_once};
inline constexpr Curve exchange_by_stores_beside_pairs{
    .name = "exchange-by-stores-beside-pairs",
    .words = {.beside = Beside::pairs, .exchange = Exchange::store, .line = LineState::modified},
    .varies = "placement",
    .title = "Round trip of a cache line by stores to two lines, several pairs at once",
    .unit = units::ns,
    .axis = axes::from,
    .table = &round_trips_by_stores};

inline constexpr Curve modified_line{.name = "modified-line",
                                     .words = {.line = LineState::modified, .role = QueueRole::reader},
                                     .varies = "placement",
                                     .title = "Load of a line that another core has modified",
                                     .unit = units::ns,
                                     .axis = axes::from,
                                     .prepare = prepare_held_lines};
/// Seen at the points of the modified line, where a program can flush lines.
inline constexpr Curve clean_line{.name = "clean-line",
                                  .words = {.line = LineState::clean, .role = QueueRole::reader},
                                  .varies = "placement",
                                  .title = "Load of a line that another core holds as memory has it",
                                  .unit = units::ns,
                                  .axis = axes::from};

inline constexpr Curve copy_writer{.name = "copy-writer",
                                   .words = {.pattern = Pattern::copy, .role = QueueRole::writer},
                                   .varies = "placement",
                                   .title = "Writer of a copy that is written whole before it is read",
                                   .unit = units::gbps,
                                   .axis = axes::from,
                                   .prepare = prepare_copy};
inline constexpr Curve copy_reader{.name = "copy-reader",
                                   .words = {.pattern = Pattern::copy, .role = QueueRole::reader},
                                   .varies = "placement",
                                   .title = "Reader of a copy that is written whole before it is read",
                                   .unit = units::gbps,
                                   .axis = axes::from};
inline constexpr Curve queue_writer{.name = "queue-writer",
                                    .words = {.role = QueueRole::writer},
                                    .varies = "placement",
                                    .title = "Writer of a queue from core to core",
                                    .unit = units::gbps,
                                    .axis = axes::from,
                                    .prepare = prepare_queue};
inline constexpr Curve queue_reader{.name = "queue-reader",
                                    .words = {.role = QueueRole::reader},
                                    .varies = "placement",
                                    .title = "Reader of a queue from core to core",
                                    .unit = units::gbps,
                                    .axis = axes::from};

inline constexpr std::array<const Curve*, 10> curves{&exchange_by_compare_and_swap,
                                                     &exchange_by_stores,
                                                     &exchange_by_compare_and_swap_beside_pairs,
                                                     &exchange_by_stores_beside_pairs,
                                                     &modified_line,
                                                     &clean_line,
                                                     &copy_writer,
                                                     &copy_reader,
                                                     &queue_writer,
                                                     &queue_reader};

inline constexpr FindingKind exchange_latency{
    .name = "exchange-latency",
    .heading = "Round trip between cores",
    .meaning =
        "The time of a round trip of a cache line, the median over pairs of CPUs; where several pairs went at "
        "once, `times_alone` in details is how many times as long as alone those took that also went alone.",
    .better = Better::lower,
    .named_by = "exchange, placement, beside",
    .feature = "round trip between cores"};
inline constexpr FindingKind held_line_latency{
    .name = "held-line-latency",
    .heading = "Loading what another core holds",
    .meaning =
        "The time of a load of a line that another CPU holds; `memory_at_other_side` in details is the same with "
        "the memory on the reader's node.",
    .better = Better::lower,
    .named_by = "line, placement",
    .feature = "held line's latency"};
inline constexpr FindingKind queue_rate{
    .name = "queue-rate",
    .heading = "A queue from core to core",
    .meaning = "The rate at one end of a queue of chunks of 512 bytes from CPU to CPU.",
    .better = Better::higher,
    .named_by = "role, placement",
    .feature = "queue between cores"};
inline constexpr FindingKind copy_rate{
    .name = "copy-rate",
    .heading = "A copy from core to core, by way of memory",
    .meaning =
        "The rate at one end of a copy from CPU to CPU that is written whole before it is read, so that it goes "
        "by way of memory.",
    .better = Better::higher,
    .named_by = "role, placement",
    .feature = "copy between cores"};

inline constexpr std::array<const FindingKind*, 4> finding_kinds{&exchange_latency, &held_line_latency, &queue_rate,
                                                                 &copy_rate};

}  // namespace sonde::probes::core_to_core_probe
