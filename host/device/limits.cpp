#include "device/limits.hpp"

#include <string>

#include "device/error.hpp"

namespace sonde::device {
namespace {

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }
std::string kibibytes(std::uint64_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

/// `what` a driver may not have at all, or not so large.
void check_special(const std::string& what, std::uint64_t largest_bytes, std::uint64_t size_bytes) {
  if (largest_bytes == 0) throw Unsupported("the driver offers no " + what);
  if (size_bytes <= largest_bytes) return;
  throw Unsupported(what + " of " + kibibytes(size_bytes) + " is above the driver's limit of " +
                    kibibytes(largest_bytes));
}

}  // namespace

void check_fits(const DeviceInfo& info, std::uint64_t available_bytes, std::uint64_t size_bytes, Use use) {
  if (use == Use::constant) check_special("constant memory", info.constant_bytes, size_bytes);
  if (use == Use::texels) check_special("linear image", info.texel_bytes, size_bytes);
  if (use == Use::wide_texels) check_special("linear image", 4 * info.texel_bytes, size_bytes);
  if (use == Use::bound) check_special("bound buffer", info.bound_bytes, size_bytes);
  if (info.largest_buffer_bytes != 0 && size_bytes > info.largest_buffer_bytes) {
    throw Unsupported("a buffer of " + mebibytes(size_bytes) + " is above " + info.largest_buffer_reason + " of " +
                      mebibytes(info.largest_buffer_bytes));
  }
  if (size_bytes > available_bytes) {
    throw Unsupported("a buffer of " + mebibytes(size_bytes) +
                      " would leave others too little memory: " + mebibytes(available_bytes) + " can be taken now");
  }
}

}  // namespace sonde::device
