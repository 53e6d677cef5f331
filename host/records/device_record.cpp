#include "records/device_record.hpp"

#include "records/lines.hpp"

namespace sonde::records {

const ApiDevice* through(const DeviceRecord& record, device::Api api) {
  const auto& device = api == device::Api::opencl   ? record.opencl
                       : api == device::Api::vulkan ? record.vulkan
                       : api == device::Api::cpu    ? record.cpu
                                                 : record.model;
  return device ? &*device : nullptr;
}

std::string spoken_name(device::Api api) {
  switch (api) {
    case device::Api::opencl: return "OpenCL";
    case device::Api::vulkan: return "Vulkan";
    case device::Api::cpu: return "native code";
    case device::Api::model: break;
  }
  return "simulated";
}

std::string api_prefix(const std::string& record_name) {
  for (const device::Api real : {device::Api::opencl, device::Api::vulkan}) {
    if (record_name == api_name(real)) return spoken_name(real) + ": ";
  }
  return "";
}

}  // namespace sonde::records
