// Makes one deliberate mistake, named by its argument, which oclgrind must report: proof that the driver
// tests really run under it and that its checks are on.

#include <cstring>
#include <exception>
#include <iostream>

#include "device/opencl/opencl.hpp"

namespace {

using namespace sonde;

constexpr const char* beyond_the_end = "kernel void mistake(global uint* words) { words[1000] = 1; }";
// Every item of a group writes its own value to the same word.
constexpr const char* race = "kernel void mistake(global uint* words) { words[0] = get_global_id(0); }";

void run(device::Device& device, const char* text) {
  const device::KernelSource source{
      .name = "mistake", .opencl_c = text, .spirv_addresses = {}, .spirv_descriptors = {}};
  const auto kernel = device.make_kernel(source, 8);
  const auto words = device.make_buffer(64);
  (void)device.run(*kernel, {.buffers = {words.get()}, .scalars = {}, .groups = 1});
}

void launch_without_its_argument(device::Device& device) {
  const device::KernelSource source{
      .name = "mistake", .opencl_c = race, .spirv_addresses = {}, .spirv_descriptors = {}};
  const auto kernel = device.make_kernel(source, 8);
  (void)device.run(*kernel, {.buffers = {}, .scalars = {}, .groups = 1});
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mistake = count > 1 ? arguments[1] : "";
  try {
    const auto device = device::opencl::open(0);
    std::cout << "platform: " << device->info().platform << std::endl;
    if (device->info().platform != "Oclgrind") return 1;
    if (mistake == "memory") run(*device, beyond_the_end);
    if (mistake == "race") run(*device, race);
    if (mistake == "call") launch_without_its_argument(*device);
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
  }
  return 0;
}
