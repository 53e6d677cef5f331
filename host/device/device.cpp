#include "device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::uint64_t largest_bytes(std::span<const StatedCache> caches, int first_level) {
  std::uint64_t largest = 0;
  for (const StatedCache& cache : caches) {
    if (cache.level >= first_level) largest = std::max(largest, cache.bytes);
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

void Buffer::check_range(std::uint64_t offset_bytes, std::uint64_t bytes) const {
  if (offset_bytes > size_bytes() || bytes > size_bytes() - offset_bytes) {
    throw Error(std::to_string(bytes) + " bytes at offset " + std::to_string(offset_bytes) +
                " reach beyond the end of a buffer of " + std::to_string(size_bytes()));
  }
}

std::span<std::byte> Buffer::map(Access) { throw Unsupported("the CPU cannot look at this buffer"); }

std::unique_ptr<Buffer> Device::make_buffer_in(const MemoryKind& kind, std::uint64_t, Use) {
  throw Unsupported("this device makes no buffers in memory of the kind " + kind.name);
}

BusyTimes Device::keep_busy(Kernel&, const std::function<Launch(std::size_t)>&,
                            const std::function<bool(Nanoseconds)>&) {
  throw Unsupported("dispatches of this device cannot be enqueued ahead");
}

CopyEngines& Device::copy_engines() { throw Unsupported("this device has no copy engines of its own"); }

std::vector<Nanoseconds> Device::round_trips(std::uint32_t) {
  throw Unsupported("the CPU and this device have no way to answer each other");
}

Nanoseconds Device::host_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace sonde::device
