#pragma once

#include <string>
#include <string_view>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// "pinned, 64 KiB, 2 queues": the words of a point's series, then where on it.
std::string place_text(const measure::Point& point);

/// What a probe without a table of its own measured and found: a row a point, then its findings. Empty where it did
/// neither.
std::string probe_table(std::string_view probe, const Results& results, device::Api api, int columns);

}  // namespace sonde::summary
