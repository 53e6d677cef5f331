#include "cli/backend.hpp"

#include "cpu/device.hpp"
#include "gpu/model/model.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/vulkan/vulkan.hpp"
#include "records/lines.hpp"

namespace sonde::cli {

std::vector<gpu::DeviceInfo> list_devices(gpu::Api api) {
  if (api == gpu::Api::cpu) return {cpu::describe()};
  return api == gpu::Api::opencl ? gpu::opencl::list() : gpu::vulkan::list();
}

std::unique_ptr<gpu::Device> open_device(const Target& target, gpu::Api api) {
  switch (api) {
    case gpu::Api::opencl: return gpu::opencl::open(target.record.opencl.value().index);
    case gpu::Api::vulkan: return gpu::vulkan::open(target.record.vulkan.value().index);
    case gpu::Api::cpu: return cpu::open();
    case gpu::Api::model: break;
  }
  return gpu::model::open(target.description.value());
}

const records::ApiDevice* through(const records::DeviceRecord& record, gpu::Api api) {
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
    if (record_name == records::api_name(real)) return spoken_name(real) + ": ";
  }
  return "";
}

}  // namespace sonde::cli
