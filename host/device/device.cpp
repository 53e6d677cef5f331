#include "device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "os/library.hpp"

namespace sonde::device {
namespace {

/// "190 MiB" or "200001 B": two sizes that differ have different texts.
std::string exact_size(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair(20, "MiB"), std::pair(10, "KiB")}) {
    if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0) return fmt::format("{} {}", bytes >> shift, unit);
  }
  return fmt::format("{} B", bytes);
}

/// A size as it may be rounded where nobody compares it with another.
std::string rounded_size(std::uint64_t bytes) {
  return bytes < (1 << 20) ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

/// "1 GiB is above WHAT of 190 MiB".
std::string is_above(std::uint64_t bytes, const std::string& what, std::uint64_t limit) {
  const bool look_alike = rounded_size(bytes) == rounded_size(limit);
  return (look_alike ? exact_size(bytes) : rounded_size(bytes)) + " is above " + what + " of " +
         (look_alike ? exact_size(limit) : rounded_size(limit));
}

/// Throws Unsupported where the driver offers no such memory, or not that much.
void check_special(const std::string& what, std::uint64_t largest_bytes, std::uint64_t size_bytes) {
  if (largest_bytes == 0) throw Unsupported("the driver offers no " + what);
  if (size_bytes <= largest_bytes) return;
  throw Unsupported(what + " of " + is_above(size_bytes, "the driver's limit", largest_bytes));
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
    throw Unsupported("a buffer of " + is_above(size_bytes, info.largest_buffer_reason, info.largest_buffer_bytes));
  }
  if (size_bytes > available_bytes) {
    throw Unsupported("a buffer of " + rounded_size(size_bytes) +
                      " would leave others too little memory: " + rounded_size(available_bytes) + " can be taken now");
  }
}

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes) {
  const bool is_nil = std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
  return is_nil ? "" : fmt::format("{:02x}", fmt::join(bytes, ""));
}

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
