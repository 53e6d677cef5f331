#include "driver/device_test.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "device/model/model.hpp"
#include "device/number_arithmetic.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "support/small_model.hpp"

namespace sonde::test {
namespace {

std::size_t chosen(const std::vector<device::DeviceInfo>& devices) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  if (const char* index = std::getenv("SONDE_TEST_DEVICE")) return std::stoul(index);
  for (std::size_t index = 0; index < devices.size(); ++index) {
    if (devices[index].type == device::DeviceType::cpu) return index;
  }
  return 0;
}

device::model::Description model_with_copies() {
  device::model::Description model = small_model(1ull << 30);
  model.cpu = {.idle_latency_ns = 100, .loaded_latency_ns = 200};
  model.copy = {.to_device_gbps = 25, .to_host_gbps = 20, .latency_us = 10, .engines = 2};
  for (const device::NumberTypeFacts& type : device::number_types)
    model.arithmetic.per_cycle[std::string(type.name)] = 64;
  model.arithmetic.functions_per_cycle = 8;
  return model;
}

#ifdef __SANITIZE_ADDRESS__
// lavapipe leaves memory allocated when it is unloaded (on AMD's processors, for their third-level caches). The
// sanitizer can attribute such leaks, and suppress them, only as long as the driver is loaded.
[[maybe_unused]] void* const kept_loaded = dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_NODELETE);
#endif

}  // namespace

std::unique_ptr<device::Device> open_device(const std::string& how) {
  if (how == "model") return device::model::open(model_with_copies());
  if (how == "opencl") return device::opencl::open(chosen(device::opencl::list()));
  const auto access = how == "vulkan" ? device::vulkan::BufferAccess::best : device::vulkan::BufferAccess::descriptors;
  return device::vulkan::open(chosen(device::vulkan::list()), access);
}

}  // namespace sonde::test
