#pragma once

#include <string>

#include "records/device_record.hpp"
#include "session/selection.hpp"

namespace sonde::test {

/// The facts that tests vary; all others are left as a driver that says nothing leaves them.
struct Facts {
  device::DeviceType type = device::DeviceType::discrete;
  std::string uuid;
  std::string pci;
  std::string driver_version = "1.0";
  bool unified_memory = false;
  std::uint32_t line_bytes = 0;
};

/// A device as one API's driver shows it.
inline records::ApiDevice seen(device::Api api, const std::string& name, const Facts& facts) {
  records::ApiDevice device;
  device.info.api = api;
  device.info.name = name;
  device.info.platform = "platform of " + name;
  device.info.type = facts.type;
  device.info.uuid = facts.uuid;
  device.info.pci = facts.pci;
  device.info.driver_version = facts.driver_version;
  device.info.unified_memory = facts.unified_memory;
  device.info.line_bytes = facts.line_bytes;
  return device;
}

/// A CPU that both APIs show.
inline records::DeviceRecord cpu_device() {
  records::DeviceRecord device;
  device.id = "cpu";
  device.name = "Some CPU";
  device.line_bytes = 64;
  device.type = device::DeviceType::cpu;
  device.drivers[device::Api::opencl] = seen(device::Api::opencl, "pocl", {.driver_version = "3.1"});
  device.drivers[device::Api::vulkan] = seen(device::Api::vulkan, "llvmpipe", {.driver_version = "22.3"});
  return device;
}

inline session::TargetDevice cpu_target() { return {.record = cpu_device()}; }

}  // namespace sonde::test
