#pragma once

#include <array>

#include "probes/probe.hpp"

// The curves of split locks, and what is concluded from them. `address` says where in a line the locked word begins: at
// 0 it lies within the line, at 4 bytes from its end across two.
namespace sonde::probes::split_locks_probe {

Workload prepare_locked_operation(device::Device& device, const Point& point, const Request& request);
Workload prepare_load(device::Device& device, const Point& point, const Request& request);
Workload prepare_read(device::Device& device, const Point& point, const Request& request);

inline constexpr Table locks_and_others{
    .title = "Locked operations within a line and across two, and what another core has meanwhile",
    .rows = "title, bytes",
    .columns = "address"};

inline constexpr Curve locked_operation{.name = "locked-operation",
                                        .words = {.exchange = Exchange::compare_and_swap, .sharing = Sharing::separate},
                                        .title = "Locked operation of a core that nobody disturbs",
                                        .unit = units::ns,
                                        .axis = axes::address,
                                        .table = &locks_and_others,
                                        .prepare = prepare_locked_operation};

inline constexpr Curve load_beside_locks{.name = "load-beside-locks",
                                         .words = {.beside = Beside::split_locks, .role = QueueRole::reader},
                                         .title = "Load of a core while others lock",
                                         .unit = units::ns,
                                         .table = &locks_and_others,
                                         .prepare = prepare_load};
/// Seen right before each window of the load beside locks.
inline constexpr Curve load_beside_nothing{.name = "load-beside-nothing",
                                           .words = {.beside = Beside::nothing, .role = QueueRole::reader},
                                           .title = "Load of a core while nobody locks",
                                           .unit = units::ns,
                                           .table = &locks_and_others};

inline constexpr Curve read_beside_locks{.name = "read-beside-locks",
                                         .words = {.beside = Beside::split_locks, .pattern = Pattern::read},
                                         .title = "Reading of a core while others lock",
                                         .unit = units::gbps,
                                         .table = &locks_and_others,
                                         .prepare = prepare_read};
/// Seen right before each window of the reading beside locks.
inline constexpr Curve read_beside_nothing{.name = "read-beside-nothing",
                                           .words = {.beside = Beside::nothing, .pattern = Pattern::read},
                                           .title = "Reading of a core while nobody locks",
                                           .unit = units::gbps,
                                           .table = &locks_and_others};

inline constexpr std::array<const Curve*, 5> curves{&locked_operation, &load_beside_locks, &load_beside_nothing,
                                                    &read_beside_locks, &read_beside_nothing};

inline constexpr FindingKind latency{
    .name = "split-lock-latency",
    .heading = "A locked operation across two lines",
    .meaning = "The time of a locked operation across two cache lines of a core that nobody disturbs.",
    .better = Better::lower};
inline constexpr FindingKind loss{
    .name = "split-lock-loss",
    .heading = "What split locks take from another core",
    .meaning =
        "How many times as long another core waits for a load in `bytes` of details while others lock across two "
        "lines, or how many times as much it reads there while nobody does.",
    .better = Better::lower};

inline constexpr std::array<const FindingKind*, 2> finding_kinds{&latency, &loss};

}  // namespace sonde::probes::split_locks_probe
