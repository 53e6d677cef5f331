#pragma once

#include <vector>

#include "device/device.hpp"
#include "device/opencl/loader.hpp"

namespace sonde::device::opencl {

/// Every device with its handle, in the order of the platforms; throws as `opencl::list` does.
std::vector<cl::Device> devices();

/// What the driver states about one device.
DeviceInfo describe(const cl::Device& device);

/// "CL_OUT_OF_RESOURCES" for -5, and so on; the number where the name is not known.
std::string error_name(cl_int code);
/// What a user can do about it.
std::string advice(cl_int code);

}  // namespace sonde::device::opencl
