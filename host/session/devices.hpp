#pragma once

#include "records/lines.hpp"

namespace sonde::session {

/// The devices of this machine, and for each API that shows none the reason.
struct FoundDevices {
  std::vector<records::DeviceRecord> devices;
  std::map<device::Api, std::string> problems;
};

/// Every API is asked in a process of its own, so that a driver that crashes while it is listed, or is silent for
/// longer than `silence_limit`, costs only its API.
FoundDevices discover_devices(std::chrono::milliseconds silence_limit = std::chrono::seconds{30});

/// This machine, from uname, /etc/os-release and /proc.
records::HostRecord describe_host();

/// The text with dashes for all signs but letters, digits and `plain_signs`; none at its ends, nor two in a row.
std::string dashed(const std::string& text, std::string_view plain_signs);

/// Logs a warning for each API that shows no device.
void warn_of_problems(const FoundDevices& machine);

/// One record for each piece of hardware: matched by UUID, then by PCI address; CPU devices are all the host's.
std::vector<records::DeviceRecord> merge(const std::vector<records::ApiDevice>& seen);

}  // namespace sonde::session
