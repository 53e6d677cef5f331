#include "session/target.hpp"

#include "cpu/device.hpp"
#include "device/model/model.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "records/model_file.hpp"

namespace sonde::session {

std::vector<device::DeviceInfo> list_devices(device::Api api) {
  if (api == device::Api::cpu) return {cpu::describe()};
  return api == device::Api::opencl ? device::opencl::list() : device::vulkan::list();
}

std::unique_ptr<device::Device> open_device(const records::MeasureTask& task) {
  switch (task.api) {
    case device::Api::opencl: return device::opencl::open(task.index);
    case device::Api::vulkan: return device::vulkan::open(task.index);
    case device::Api::cpu: return cpu::open();
    case device::Api::model: break;
  }
  return device::model::open(records::parse_model({.text = task.model, .where = task.device}));
}

}  // namespace sonde::session
