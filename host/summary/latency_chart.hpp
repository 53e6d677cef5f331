#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// The curves of the latency table as a small chart; empty where there are none. `colour` allows SGR codes.
std::string latency_chart(const std::string& device, const View& view, int columns, bool colour);

}  // namespace sonde::summary
