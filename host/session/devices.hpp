#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "records/device_record.hpp"

namespace sonde::session {

/// What this machine has, and why an API shows nothing where it does not.
struct Machine {
  std::vector<records::DeviceRecord> devices;
  std::map<device::Api, std::string> problems;
};

/// Asks every API in a process of its own, so that a driver that crashes while it is listed, or is silent for longer
/// than `silence_limit`, costs only its API.
Machine discover_devices(std::chrono::milliseconds silence_limit = std::chrono::seconds{30});

/// A warning for each API that shows nothing.
void say_problems(const Machine& machine);

/// One record for each piece of hardware: matched by UUID, then by PCI address; CPU devices are all the host's.
std::vector<records::DeviceRecord> merge(const std::vector<records::ApiDevice>& seen);

}  // namespace sonde::session
