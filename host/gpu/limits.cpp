#include "gpu/limits.hpp"

#include <string>

#include "gpu/error.hpp"

namespace sonde::gpu {
namespace {

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

void check_fits(const DeviceInfo& info, std::uint64_t available_bytes, std::uint64_t size_bytes) {
  if (info.largest_buffer_bytes != 0 && size_bytes > info.largest_buffer_bytes) {
    throw Unsupported("a buffer of " + mebibytes(size_bytes) + " is above " + info.largest_buffer_reason + " of " +
                      mebibytes(info.largest_buffer_bytes));
  }
  if (size_bytes > available_bytes) {
    throw Unsupported("a buffer of " + mebibytes(size_bytes) + " would leave others too little memory: " +
                      mebibytes(available_bytes) + " can be taken now");
  }
}

}  // namespace sonde::gpu
