#include "session/target.hpp"

#include "cpu/device.hpp"
#include "gpu/model/model.hpp"
#include "gpu/opencl/opencl.hpp"
#include "gpu/vulkan/vulkan.hpp"
#include "records/model_file.hpp"

namespace sonde::session {

std::vector<gpu::DeviceInfo> list_devices(gpu::Api api) {
  if (api == gpu::Api::cpu) return {cpu::describe()};
  return api == gpu::Api::opencl ? gpu::opencl::list() : gpu::vulkan::list();
}

std::unique_ptr<gpu::Device> open_device(const records::MeasureTask& task) {
  switch (task.api) {
    case gpu::Api::opencl: return gpu::opencl::open(task.index);
    case gpu::Api::vulkan: return gpu::vulkan::open(task.index);
    case gpu::Api::cpu: return cpu::open();
    case gpu::Api::model: break;
  }
  return gpu::model::open(records::parse_model({.text = task.model, .where = task.device}));
}

}  // namespace sonde::session
