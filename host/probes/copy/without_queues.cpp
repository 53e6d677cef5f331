// Copies that no queue of the driver makes: a kernel walks once over what is to be copied, whose source is a step
// longer than its target, so that a walk can begin a step further on there and end where the target does; or the CPU
// copies through a mapping of the device's memory, every time map, memcpy, unmap, by the host's clock.

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "kernels.hpp"
#include "measure/counted_work.hpp"
#include "probes/copy/copy.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes::copy_probe {
namespace {

using workloads::SearchDepth;
using workloads::StreamShape;

/// The driver's memory in which the CPU can write and the device read.
const device::MemoryKind& kind_for_kernels(const device::DeviceInfo& info, std::optional<HostMemory> host) {
  const std::vector<std::string> names =
      host == HostMemory::imported
          ? std::vector<std::string>{"use-host-ptr", "imported-host"}
          : std::vector<std::string>{
                "alloc-host-ptr", "host-visible+host-coherent+host-cached", "host-visible+host-coherent",
                "device-local+host-visible+host-coherent+host-cached", "device-local+host-visible+host-coherent"};
  std::string reason = "the driver has no memory of the host that kernels reach";
  for (const std::string& name : names) {
    const auto found = std::ranges::find(info.memory_kinds, name, &device::MemoryKind::name);
    if (found == info.memory_kinds.end()) continue;
    if (found->missing.empty()) return *found;
    reason = found->missing;
  }
  throw device::Unsupported(reason);
}

/// Memory of the host that is a kernel's argument too while the CPU does not access it.
class KernelHost final : public device::HostBlock {
 public:
  explicit KernelHost(std::unique_ptr<device::Buffer> buffer) : buffer_(std::move(buffer)) {}
  std::span<std::byte> bytes() override {
    if (mapped_.empty()) mapped_ = buffer_->map(device::Access::write);
    return mapped_;
  }
  device::Buffer& for_kernel() {
    if (!mapped_.empty()) buffer_->unmap();
    mapped_ = {};
    return *buffer_;
  }

 private:
  std::unique_ptr<device::Buffer> buffer_;
  std::span<std::byte> mapped_;
};

/// The driver of a device with memory of its own may keep the host's memory there, and copy all of it whenever the CPU
/// maps it: what a kernel moves then crosses no bus. A map that copies nothing is faster than this, a bus is slower.
constexpr double faster_than_any_bus_gbps = 400;
constexpr std::uint64_t mapped_bytes = 32 << 20;

/// The shortest time in which the CPU maps so much of it, after the device has written all of it.
double map_ns(device::Device& device, const device::MemoryKind& kind, std::uint64_t bytes) {
  constexpr int attempts = 3;
  const auto source = device.make_buffer(bytes);
  const auto memory = device.make_buffer_in(kind, bytes);
  double least_ns = std::numeric_limits<double>::max();
  const StreamShape shape{.group_size = 32, .groups = 1};
  const workloads::StreamWalk walk(shape, Sharing::separate, bytes);
  const auto kernel = device.make_kernel(kernels::stream_copy, shape.group_size, shape.constants());
  for (int attempt = 0; attempt < attempts; ++attempt) {
    // One block is enough: drivers only know of whole buffers that they changed.
    const workloads::WalkScalars scalars{.trips = 1, .start = 0, .blocks = walk.blocks};
    (void)device.run(*kernel, {.buffers = {source.get(), memory.get()}, .scalars = scalars.in_order({0}), .groups = 1});
    const device::Nanoseconds begin = device.host_time();
    (void)memory->map(device::Access::read);
    least_ns = std::min(least_ns, (device.host_time() - begin).count());
    memory->unmap();
  }
  return least_ns;
}

/// Throws device::Unsupported where kernels access this memory of the host within the device.
void check_stays_in_the_host(device::Device& device, const device::MemoryKind& kind) {
  if (device.info().unified_memory) return;
  constexpr std::uint64_t least_bytes = 64 << 10;
  const double more_ns = map_ns(device, kind, mapped_bytes) - map_ns(device, kind, least_bytes);
  if (more_ns < static_cast<double>(mapped_bytes - least_bytes) / faster_than_any_bus_gbps) return;
  throw device::Unsupported(
      "the driver keeps this memory in the device while kernels run, and copies it when the CPU "
      "looks, so that what a kernel copies never crosses to the host; the rows of the driver's own "
      "copies do");
}

device::Buffer& buffer_at(const device::CopyEndpoint& place) {
  return place.buffer != nullptr ? *place.buffer : static_cast<KernelHost&>(*place.host).for_kernel();
}

/// The shape, made smaller until its groups share `bytes` without a rest.
StreamShape dividing(StreamShape shape, std::uint64_t bytes) {
  shape.spread = false;  // its runs are cut by blocks
  shape.groups = std::bit_ceil(shape.groups);
  const auto rest = [&] { return bytes % (std::uint64_t{shape.block_words()} * shape.groups * sizeof(std::uint32_t)); };
  while (shape.groups > 1 && rest() != 0) shape.groups /= 2;
  while (shape.in_flight > 1 && rest() != 0) shape.in_flight /= 2;
  while (shape.group_size > 1 && rest() != 0) shape.group_size /= 2;
  return shape;
}

struct KernelCopies {
  device::Device& device;
  StreamShape shape;
  std::unique_ptr<device::Kernel> kernel;
  CopyEndpoints endpoints;

  std::uint64_t block_bytes() const { return std::uint64_t{shape.block_words()} * sizeof(std::uint32_t); }

  device::Nanoseconds run(std::uint32_t copies, const Limits& limits) {
    const measure::CountedWindow window(limits, copies);
    device::Nanoseconds time{0};
    for (std::uint32_t copy = 0; copy < copies; ++copy) time += run_one();
    return time;
  }

  device::Nanoseconds run_one() {
    const device::Copy copy = endpoints.next().front();
    device::Buffer& from = buffer_at(copy.from);
    device::Buffer& to = buffer_at(copy.to);
    const auto all_trips = static_cast<std::uint32_t>(copy.bytes / block_bytes() / shape.groups);
    const std::uint32_t block_step = shape.interleaved ? shape.groups : 1;
    const auto shift = static_cast<std::uint32_t>(copy.from.offset_bytes / block_bytes() / block_step);
    // The walk's end, where it would begin anew, is further than any group gets.
    const std::uint32_t blocks = all_trips + shift;
    device::Nanoseconds time{0};
    for (std::uint32_t done = 0; done < all_trips;) {
      const workloads::WalkScalars walk{.trips = std::min(all_trips - done, device.info().most_trips),
                                        .start = done,
                                        .blocks = blocks,
                                        .block_step = block_step,
                                        .group_step = shape.interleaved ? 1 : all_trips};
      time += device.run(*kernel, {.buffers = {&from, &to}, .scalars = walk.in_order({shift}), .groups = shape.groups});
      done += walk.trips;
    }
    return time;
  }
};

/// The device's own memory among the kinds that can be mapped, where it has such kinds.
const device::MemoryKind* own_kind(const device::DeviceInfo& info) {
  const auto own = std::ranges::find(info.memory_kinds, "device", &device::MemoryKind::name);
  return own == info.memory_kinds.end() || !own->missing.empty() ? nullptr : &*own;
}

struct MappedCopies {
  device::Device& device;
  CopyEndpoints endpoints;

  device::Nanoseconds run(std::uint32_t copies, const Limits&) {
    device::Nanoseconds time{0};
    for (std::uint32_t copy = 0; copy < copies; ++copy) time += run_one();
    // A simulated CPU's own work costs nothing.
    if (time.count() <= 0) throw device::Unsupported("neither maps nor the CPU's copying take any time on this device");
    return time;
  }

  device::Nanoseconds run_one() {
    const device::Copy copy = endpoints.next().front();
    const bool writes = copy.to.buffer != nullptr;
    device::Buffer& buffer = writes ? *copy.to.buffer : *copy.from.buffer;
    device::HostBlock& host = writes ? *copy.from.host : *copy.to.host;
    const std::span<std::byte> ours =
        host.bytes().subspan(writes ? copy.from.offset_bytes : copy.to.offset_bytes, copy.bytes);
    const device::Nanoseconds begin = device.host_time();
    const std::span<std::byte> theirs = buffer.map(writes ? device::Access::overwrite : device::Access::read);
    if (writes) {
      std::memcpy(theirs.data() + copy.to.offset_bytes, ours.data(), copy.bytes);
    } else {
      std::memcpy(ours.data(), theirs.data() + copy.from.offset_bytes, copy.bytes);
    }
    buffer.unmap();
    return device.host_time() - begin;
  }
};

/// Work that makes so many copies, one after the other, in each repetition.
template <typename Copies>
SelfTimedWork one_by_one(const std::shared_ptr<Copies>& work, std::uint32_t copies) {
  return {[work, copies](const Limits& limits, const std::function<void()>& alive) {
    Repetitions result = repeated(limits, alive, [&] {
      const device::Nanoseconds time = work->run(copies, limits);
      work->endpoints.check();
      return CopyRepetition{gbps_of(work->endpoints.row_bytes() * copies, time), time};
    });
    result.steps = copies;
    return result;
  }};
}

}  // namespace

Workload prepare_by_kernel(device::Device& device, const Point& point, const Request& request) {
  const Direction direction = point.words.direction.value();
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  if (direction != Direction::within)
    check_stays_in_the_host(device, kind_for_kernels(device.info(), point.words.host));
  // A CPU's driver compiles slowly.
  const bool on_cpu = device.info().type == device::DeviceType::cpu;
  const auto depth = on_cpu ? SearchDepth::usual : SearchDepth::once;
  // Source and target together, as the search counts.
  const StreamShape found = point.shape.empty()
                                ? workloads::search_shape(device, Pattern::copy, Sharing::separate, 2 * bytes, depth)
                                : workloads::shape_of(point.shape);
  const StreamShape shape = dividing(found, bytes);
  const std::uint64_t step_blocks = shape.interleaved ? shape.groups : 1;
  const std::uint64_t step_bytes = step_blocks * shape.block_words() * sizeof(std::uint32_t);
  const Row row{.bytes = bytes, .copies = 1, .step_bytes = std::max(step_bytes, proof_block_bytes)};
  const device::Use use = workloads::use_for(device.info(), bytes + row.step_bytes);
  const MakeHost make_host = [&](std::uint64_t size_bytes) {
    return std::make_unique<KernelHost>(
        device.make_buffer_in(kind_for_kernels(device.info(), point.words.host), size_bytes, use));
  };
  const auto work = std::shared_ptr<KernelCopies>(
      new KernelCopies{device, shape, device.make_kernel(kernels::stream_copy, shape.group_size, shape.constants()),
                       CopyEndpoints(device, direction, row, make_host, request.seed)});
  const std::uint32_t copies = std::min(8u, copies_in_a_row(device, bytes, 1));
  return {.work = one_by_one(work, copies),
          .bytes_per_step = static_cast<double>(work->endpoints.row_bytes()),
          .has_cycles = false,
          .shape = workloads::named(found)};
}

Workload prepare_by_mapping(device::Device& device, const Point& point, const Request& request) {
  const MakeHost make_host = [](std::uint64_t size_bytes) {
    return std::make_unique<device::PageableMemory>(size_bytes);
  };
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const auto work = std::shared_ptr<MappedCopies>(
      new MappedCopies{device, CopyEndpoints(device, point.words.direction.value(), {.bytes = bytes, .copies = 1},
                                             make_host, request.seed, own_kind(device.info()))});
  const std::uint32_t copies = std::min(16u, copies_in_a_row(device, bytes, 1));
  return {.work = one_by_one(work, copies), .has_cycles = false};
}

}  // namespace sonde::probes::copy_probe
