#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "kernels.hpp"
#include "probes/bandwidth/curves.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {
namespace {

using workloads::StreamShape;

constexpr std::uint64_t most_dispatches = 64;
constexpr std::uint32_t never_written = 0xFFFFFFFFu;

struct Empty {
  device::Device& device;
  workloads::StreamWalk walk;
  device::Use use;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> array;
  std::unique_ptr<device::Buffer> sums;
  std::vector<std::uint32_t> words;

  Empty(device::Device& on, const StreamShape& shape)
      : device(on),
        walk(shape, workloads::Sharing::shared, std::uint64_t{shape.block_words()} * sizeof(std::uint32_t)),
        use(workloads::use_for(on.info(),
                               std::max<std::uint64_t>(walk.array_bytes(), items() * sizeof(std::uint32_t)))),
        kernel(on.make_kernel(kernels::stream_read, shape.group_size, shape.constants())),
        array(on.make_buffer(walk.array_bytes(), use)),
        sums(on.make_buffer(items() * sizeof(std::uint32_t), use)),
        words(items()) {}

  std::uint64_t items() const { return std::uint64_t{walk.shape.group_size} * walk.shape.groups; }

  device::Nanoseconds run(std::uint64_t dispatches) {
    std::ranges::fill(words, never_written);
    sums->write(0, std::as_bytes(std::span(words)));
    device::Nanoseconds time{0};
    for (std::uint64_t i = 0; i < dispatches; ++i) {
      time += device.run(
          *kernel, {.buffers = {array.get(), sums.get()}, .scalars = walk.scalars(0, 0), .groups = walk.shape.groups});
    }
    if (dispatches == most_dispatches && time.count() <= 0) {
      throw device::Unsupported("an empty dispatch takes no time by this device's clock");
    }
    return time;
  }

  std::optional<std::string> proof_failure() {
    sums->read(0, std::as_writable_bytes(std::span(words)));
    if (std::ranges::all_of(words, [](std::uint32_t word) { return word == 0; })) return std::nullopt;
    return "a work-item of an empty dispatch did not run, or added something up; please report the driver";
  }
};

}  // namespace

/// Dispatches of the reading kernel that make no trip; a step is one of them. Every item's sum of nothing is checked.
Workload bandwidth_probe::prepare_empty_dispatch(device::Device& device, const Point& point, const Request&) {
  const StreamShape shape = workloads::shape_of(point.shape);
  const auto work = std::make_shared<Empty>(device, shape);
  return {.work = SteppedWork{.quantum = 1,
                                       .most = most_dispatches,
                                       .lap = 1,
                                       .run = [work](std::uint64_t dispatches) { return work->run(dispatches); },
                                       .proof_failure = [work] { return work->proof_failure(); },
                                       .value = [](double nanoseconds) { return nanoseconds / 1e3; }},
          .shape = workloads::named(shape)};
}

}  // namespace sonde::probes
