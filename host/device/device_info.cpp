#include "device/device_info.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/error.hpp"
#include "os/library.hpp"

namespace sonde::device {
namespace {

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }
std::string kibibytes(std::uint64_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

/// Throws Unsupported where the driver offers no such memory, or not that much.
void check_special(const std::string& what, std::uint64_t largest_bytes, std::uint64_t size_bytes) {
  if (largest_bytes == 0) throw Unsupported("the driver offers no " + what);
  if (size_bytes <= largest_bytes) return;
  throw Unsupported(what + " of " + kibibytes(size_bytes) + " is above the driver's limit of " +
                    kibibytes(largest_bytes));
}

}  // namespace

std::uint64_t largest_bytes(std::span<const StatedCache> caches) {
  std::uint64_t largest = 0;
  for (const StatedCache& cache : caches) largest = std::max(largest, cache.bytes);
  return largest;
}

std::uint64_t memory_side_bytes(std::span<const StatedCache> caches) {
  constexpr int first_behind_a_gpus_own = 3;
  std::uint64_t largest = 0;
  for (const StatedCache& cache : caches) {
    if (cache.level >= first_behind_a_gpus_own) largest = std::max(largest, cache.bytes);
  }
  return largest;
}

const MemoryKind& memory_kind(const DeviceInfo& info, std::string_view name) {
  const auto found = std::ranges::find(info.memory_kinds, name, &MemoryKind::name);
  if (found == info.memory_kinds.end()) throw Unsupported("the driver has no memory of the kind " + std::string(name));
  if (!found->missing.empty()) throw Unsupported(found->missing);
  return *found;
}

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

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

std::string pci_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

std::string loader_problem(const std::string& api, const std::string& package, const os::Library& loader) {
  const std::string where = os::loader_package(package);
  if (loader.is_missing()) return "no " + api + " loader; install one " + where;
  return "the " + api + " loader is there, and cannot be loaded; install it again, for this kind of processor " +
         where + (loader.why_not().empty() ? "" : ". The system says: " + loader.why_not());
}

}  // namespace sonde::device
