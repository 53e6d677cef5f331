#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/model/description.hpp"
#include "records/device_record.hpp"

namespace sonde::cli {

/// A device that was chosen for a run; `description` only for a simulated one.
struct Target {
  records::DeviceRecord record;
  std::optional<gpu::model::Description> description;
  bool beside_gpus = false;  ///< the CPU of a run that is about GPUs: asked of itself, not through drivers
};

/// Loads the API's drivers into this process: called in workers only.
std::vector<gpu::DeviceInfo> list_devices(gpu::Api api);
std::unique_ptr<gpu::Device> open_device(const Target& target, gpu::Api api);

/// The target through one API; null where no driver shows it there.
const records::ApiDevice* through(const records::DeviceRecord& record, gpu::Api api);

/// "OpenCL", "Vulkan", "native code" or "simulated", for people.
std::string spoken_name(gpu::Api api);

/// "OpenCL: " before what was found through the API that a record names so; a simulated device has but one.
std::string api_prefix(const std::string& record_name);

}  // namespace sonde::cli
