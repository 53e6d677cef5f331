#pragma once

#include <optional>

#include "device/device.hpp"

namespace sonde::records {

/// What a process is to see of an API's drivers.
struct DriverChoice {
  std::string file;    ///< the one that names the only driver to the loader; empty for all that the loader finds
  bool layers = true;  ///< whether the loader's layers are between program and driver
};

/// A device through one API: what its driver states, and its place in the list of those that the choice shows.
struct ApiDevice {
  device::DeviceInfo info;
  std::size_t index = 0;
  DriverChoice driver = {};
};

/// One piece of hardware, however many APIs and drivers show it. Readers of files take its id, its name, its type, the
/// names of its drivers, the sizes of lines and pages, and the stated caches.
struct DeviceRecord {
  static constexpr const char* record = "device";
  std::string id;  ///< stays the same under another driver version
  std::string name;
  device::DeviceType type = device::DeviceType::discrete;
  std::string uuid;
  std::string pci;
  std::uint32_t compute_units = 0;
  std::uint64_t memory_bytes = 0;
  bool unified_memory = false;
  std::uint32_t line_bytes = 64;
  std::uint32_t page_bytes = 0;                    ///< of a walk with one line a page; 0 where a file does not say
  std::vector<device::StatedCache> stated_caches;  ///< caches that the system and all drivers state
  std::map<device::Api, ApiDevice> drivers;        ///< the CPU's own is the host processor itself
  std::vector<ApiDevice> further;  ///< second and later drivers for an API that has one already; not measured
};

/// The device through one API; null where no driver shows it there.
const ApiDevice* through(const DeviceRecord& record, device::Api api);

/// A device's name, with its id behind it where it is not the only one of that name.
inline std::string name_of(const DeviceRecord& device, bool is_only_one) {
  return is_only_one ? device.name : device.name + " (" + device.id + ")";
}

/// The words of a record: "opencl", "discrete".
std::string api_name(device::Api api);
std::string type_name(device::DeviceType type);

/// The type with such a word; a discrete one where there is no such word.
device::DeviceType type_called(std::string_view word);

/// "OpenCL", "Vulkan", "native code" or "simulated", for people.
std::string spoken_name(device::Api api);

/// A text from a driver or a file as a terminal may be sent it: control characters but line feeds become \x1b.
std::string visible(std::string_view text);

}  // namespace sonde::records
