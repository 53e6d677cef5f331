#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/model/description.hpp"
#include "records/device_record.hpp"

namespace sonde::session {

/// A device that was chosen for a run; `description` only for a simulated one.
struct Target {
  records::DeviceRecord record;
  std::optional<gpu::model::Description> description;
  std::string model_text = {};  ///< that `description` was read from
  bool beside_gpus = false;     ///< the CPU of a run that is about GPUs: asked of itself, not through drivers
};

/// Loads the API's drivers into this process: called in workers only.
std::vector<gpu::DeviceInfo> list_devices(gpu::Api api);
std::unique_ptr<gpu::Device> open_device(const Target& target, gpu::Api api);

}  // namespace sonde::session
