#pragma once

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "records/device_record.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// The tables that a probe's curves declare, drawn from what was recorded: a row for each value of the table's rows, a
/// column for each of its columns, in the cells medians. Empty where nothing was measured that a table shows.
std::string pivot_tables(std::string_view probe, const Results& results, device::Api api, int columns);

/// The findings of a probe: kinds of which there are several as tables, by the words that tell them apart, others by
/// their evidence.
std::string findings(std::string_view probe, const Results& results, int columns);

/// "vector, 4 KiB": the words and numbers of a point, for a person.
std::string place_text(const measure::Point& point);

/// The latency of a dependent load by working set, an API a column, with notes. Empty where the latency probe measured
/// nothing.
std::string latency_table(const records::DeviceRecord& device, const View& view, int columns);

/// The curves of the latency table as a small chart; empty where there are none. `colour` allows SGR codes.
std::string latency_chart(const std::string& device, const View& view, int columns, bool colour);

/// A line for each thing that held a device back at some of its points: throttling, and a clock below the one that it
/// reached at others. Empty where nothing did, or nobody knows.
std::string throttling_note(const std::string& device, const View& view, int columns);

/// The levels of a latency curve and of a bandwidth curve, as a table that can be pasted into a message: a level a row,
/// sizes from latency where it has them. Either may be empty.
std::string level_table(std::span<const measure::FoundLevel> latency, std::span<const measure::FoundLevel> bandwidth,
                        int columns);

/// The levels of one device through one API, a level's latency and bandwidth in one row.
/// Empty where neither probe found anything of them.
std::string level_summary(const Results& latency, const Results& bandwidth, device::Api api, int columns);

/// "48 KiB, 2 MiB (the system)": the stated sizes of caches, and who states them.
std::string sizes_by_source(std::span<const device::StatedCache> caches);

/// A sentence with the caches that the system and drivers state, to be held against the levels, and whether the sweeps
/// ended within the largest. Empty where none is stated, or no level was measured.
std::string stated_caches(const records::DeviceRecord& device, const View& view, int columns);

/// The latency probe's findings beside levels, each once though it has a record with both APIs.
std::string latency_findings(const std::string& device, const View& view, int columns);

/// The findings about each kind of memory: whether it is shared in either direction, and how far it is from the GPU and
/// from the CPU. Empty where nothing was asked.
std::string memory_kinds_table(const Results& zero_copy, const Results& host_memory, device::Api api, int columns);

/// The largest point of each curve that counters saw: bytes at the fabric and at memory for each byte that the kernel
/// asked for, and the share that memory did not have to move. Empty where nothing was counted.
std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns);

/// The lists of skipped and of failed measurements, each with its reason; empty where there are none.
std::string unmeasured_list(std::span<const Unmeasured> unmeasured, int columns);

}  // namespace sonde::summary
