#pragma once

#include <string>

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// The tables that a probe's curves declare, drawn from what was recorded: a row for each value of the table's rows, a
/// column for each of its columns, in the cells medians. Empty where nothing was measured that a table shows.
std::string pivot_tables(std::string_view probe, const Results& results, device::Api api, int columns);

/// What a probe found: kinds of which there are several as tables, by the words that tell them apart, others by their
/// evidence.
std::string findings(std::string_view probe, const Results& results, int columns);

/// "vector, 4 KiB": words and numbers of a point, as a person would say them.
std::string place_text(const measure::Point& point);

}  // namespace sonde::summary
