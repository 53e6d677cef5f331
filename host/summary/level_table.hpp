#pragma once

#include <span>
#include <string>

#include "device/device.hpp"
#include "records/device_record.hpp"
#include "summary/view.hpp"

#include "measure/probe.hpp"

namespace sonde::summary {

/// The levels that two curves tell, of latency and of bandwidth, as a table that can be pasted into a message: a level
/// a row, sizes from latency where it has them. Either may be empty.
std::string level_table(std::span<const measure::FoundLevel> latency, std::span<const measure::FoundLevel> bandwidth,
                        int columns);

/// The levels of one device through one API, with what a level takes and delivers in one row, and what a launch takes.
/// Empty where neither probe told anything of them.
std::string level_summary(const Results& latency, const Results& bandwidth, device::Api api, int columns);

/// "48 KiB, 2 MiB (the system)": what is stated of caches, and by whom.
std::string sizes_by_source(std::span<const device::StatedCache> caches);

/// What the system and drivers say of a device's caches, in a sentence, to be held against the levels, and which sweeps
/// ended within the largest. Empty where nobody says anything, or no level was measured.
std::string stated_caches(const records::DeviceRecord& device, const View& view, int columns);

/// What the latency probe found beside levels, each once though it has a record with both APIs.
std::string latency_findings(const std::string& device, const View& view, int columns);

}  // namespace sonde::summary
