#include "records/device_record.hpp"

#include "records/lines.hpp"

namespace sonde::records {

const ApiDevice* through(const DeviceRecord& record, gpu::Api api) {
  const auto& device = api == gpu::Api::opencl   ? record.opencl
                       : api == gpu::Api::vulkan ? record.vulkan
                       : api == gpu::Api::cpu    ? record.cpu
                                                 : record.model;
  return device ? &*device : nullptr;
}

std::string spoken_name(gpu::Api api) {
  switch (api) {
    case gpu::Api::opencl: return "OpenCL";
    case gpu::Api::vulkan: return "Vulkan";
    case gpu::Api::cpu: return "native code";
    case gpu::Api::model: break;
  }
  return "simulated";
}

std::string api_prefix(const std::string& record_name) {
  for (const gpu::Api real : {gpu::Api::opencl, gpu::Api::vulkan}) {
    if (record_name == api_name(real)) return spoken_name(real) + ": ";
  }
  return "";
}

}  // namespace sonde::records
