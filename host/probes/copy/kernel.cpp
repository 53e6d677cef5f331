// Copies by a kernel: kernels/stream_copy walks once over what is to be copied. Its source is a step longer
// than its target, so that a walk can begin a step further on there and end where the target does. Which
// shape is fast is searched for at one size, as the bandwidth probe does, and carried to the others.

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "device/error.hpp"
#include "kernels.hpp"
#include "measure/counted_window.hpp"
#include "probes/copy/endpoints.hpp"
#include "probes/copy/repetitions.hpp"
#include "probes/copy/work.hpp"
#include "workloads/stream/shape_search.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {
namespace {

using workloads::SearchDepth;
using workloads::Shape;

/// The driver's memory in which the CPU can write and the device read.
const device::MemoryKind& kind_for_kernels(const device::DeviceInfo& info, HostEnd host) {
  const std::vector<std::string> names =
      host == HostEnd::imported
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

/// Memory of the host that is a kernel's argument too, whenever the CPU is not looking at it.
class KernelHost final : public device::HostMemory {
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

/// A device that has memory of its own may keep there what its driver calls the host's, and copy all of it whenever the
/// CPU looks: what a kernel moves then crosses no bus. No bus is so fast, and no view of memory that stays so slow.
constexpr double faster_than_any_bus_gbps = 400;
constexpr std::uint64_t looked_at_bytes = 32 << 20;

/// What a view of so much of it takes at best, after the device has written all of it.
double view_ns(device::Device& device, const device::MemoryKind& kind, std::uint64_t bytes) {
  constexpr int looks = 3;
  const auto source = device.make_buffer(bytes);
  const auto memory = device.make_buffer_in(kind, bytes);
  double least_ns = std::numeric_limits<double>::max();
  const Shape shape{.group_size = 32, .groups = 1};
  const workloads::StreamWalk walk(shape, workloads::Sharing::separate, bytes);
  const auto kernel = device.make_kernel(kernels::stream_copy, shape.group_size, shape.constants());
  for (int look = 0; look < looks; ++look) {
    // One block is enough: drivers know of whole buffers alone what is new.
    const workloads::WalkScalars scalars{.trips = 1, .start = 0, .blocks = walk.blocks};
    (void)device.run(*kernel, {.buffers = {source.get(), memory.get()}, .scalars = scalars.in_order({0}), .groups = 1});
    const device::Nanoseconds begin = device.host_time();
    (void)memory->map(device::Access::read);
    least_ns = std::min(least_ns, (device.host_time() - begin).count());
    memory->unmap();
  }
  return least_ns;
}

/// Throws device::Unsupported where kernels find this memory of the host in the device.
void check_stays_in_the_host(device::Device& device, const device::MemoryKind& kind) {
  if (device.info().unified_memory) return;
  constexpr std::uint64_t least_bytes = 64 << 10;
  const double more_ns = view_ns(device, kind, looked_at_bytes) - view_ns(device, kind, least_bytes);
  if (more_ns < static_cast<double>(looked_at_bytes - least_bytes) / faster_than_any_bus_gbps) return;
  throw device::Unsupported(
      "the driver keeps this memory in the device while kernels run, and copies it when the CPU "
      "looks, so that what a kernel copies never crosses to the host; the rows of the driver's own "
      "copies do");
}

device::Buffer& buffer_of(const device::CopyEndpoint& place) {
  return place.buffer != nullptr ? *place.buffer : static_cast<KernelHost&>(*place.host).for_kernel();
}

/// The shape, cut down until its groups share `bytes` without a rest.
Shape dividing(Shape shape, std::uint64_t bytes) {
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
  Shape shape;
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
    device::Buffer& from = buffer_of(copy.from);
    device::Buffer& to = buffer_of(copy.to);
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

}  // namespace

Workload copies_by_kernel(device::Device& device, const CopyRoute& route, std::uint64_t bytes, const Point& point,
                          const Request& request) {
  if (route.direction != Direction::within)
    check_stays_in_the_host(device, kind_for_kernels(device.info(), route.host));
  const auto depth = request.effort == Effort::quick ? SearchDepth::usual : SearchDepth::once;
  // Source and target together, as the search counts.
  const Shape found = point.shape.empty() ? workloads::search_shape(device, workloads::Pattern::copy,
                                                                    workloads::Sharing::separate, 2 * bytes, depth)
                                          : workloads::shape_of(point.shape);
  const Shape shape = dividing(found, bytes);
  const std::uint64_t step_blocks = shape.interleaved ? shape.groups : 1;
  const std::uint64_t step_bytes = step_blocks * shape.block_words() * sizeof(std::uint32_t);
  const Row row{.bytes = bytes, .copies = 1, .step_bytes = std::max(step_bytes, proof_block_bytes)};
  const device::Use use = workloads::use_for(device.info(), bytes + row.step_bytes);
  const MakeHost make_host = [&](std::uint64_t size_bytes) {
    return std::make_unique<KernelHost>(
        device.make_buffer_in(kind_for_kernels(device.info(), route.host), size_bytes, use));
  };
  const auto work = std::shared_ptr<KernelCopies>(
      new KernelCopies{device, shape, device.make_kernel(kernels::stream_copy, shape.group_size, shape.constants()),
                       CopyEndpoints(device, route.direction, row, make_host, request.seed)});
  const std::uint32_t copies = std::min(8u, copies_in_a_row(device, request.effort, bytes, 1));
  const auto observe = [work, copies](const Limits& limits, const std::function<void()>& alive) {
    Repetitions result;
    result.values = repeated(limits, alive, [&] {
      const device::Nanoseconds time = work->run(copies, limits);
      check(work->endpoints);
      return Repetition{gbps(work->endpoints.row_bytes() * copies, time), time};
    });
    result.steps = copies;
    return result;
  };
  const auto bytes_of_one = static_cast<double>(work->endpoints.row_bytes());
  return {.unit = "GB/s",
          .bytes_per_step = bytes_of_one,
          .has_cycles = false,
          .shape = workloads::named(found),
          .observe = observe};
}

}  // namespace sonde::probes
