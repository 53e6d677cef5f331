#pragma once

#include "records/device_record.hpp"
#include "records/lines.hpp"

namespace sonde::summary {

/// The terminal that the text is printed on.
struct TerminalFormat {
  int columns = 100;    ///< no line is wider, unless a word is
  bool colour = false;  ///< allows SGR codes
};

/// The results of a run for a person: tables and a small chart for each device, and what was not measured and why.
/// `lines` are the run's records.
std::string summary(std::span<const records::DeviceRecord> devices, std::span<const records::Line> lines,
                    const TerminalFormat& format);

}  // namespace sonde::summary
