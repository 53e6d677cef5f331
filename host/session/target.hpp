#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "records/device_record.hpp"
#include "records/task.hpp"

namespace sonde::session {

/// A device that was chosen for a run.
struct Target {
  records::DeviceRecord record;
  std::string model_text = {};  ///< that describes a simulated one
  bool beside_gpus = false;     ///< the CPU of a run that is about GPUs: asked of itself, not through drivers
};

/// Loads the API's drivers into this process: called in workers only.
std::vector<device::DeviceInfo> list_devices(device::Api api);
std::unique_ptr<device::Device> open_device(const records::MeasureTask& task);

}  // namespace sonde::session
