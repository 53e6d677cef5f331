// Copies beside a kernel: both alone, then together. What together costs the one or the other is time in
// which they did not overlap.

#include <algorithm>

#include "kernels.hpp"
#include "probes/copy/copy.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes::copy_probe {
namespace {

using workloads::StreamShape;

/// The kernel lasts at least so many times as long as the copies beside it, and not many more, as its noise is part of
/// what the copies seem to cost it.
constexpr double outlasts = 2;
constexpr double longest_copies_ns = 20e6;

/// Reads a few pages for each compute unit again and again: it keeps all of them busy and leaves memory to the copies.
class BusyKernel {
 public:
  explicit BusyKernel(device::Device& device)
      : device_(device), shape_(shape_for(device.info())), walk_(shape_, Sharing::separate, array_bytes(shape_)) {
    const device::Use use = workloads::use_for(device.info(), array_bytes(shape_));
    kernel_ = device.make_kernel(kernels::stream_read, shape_.group_size, shape_.constants());
    words_ = device.make_buffer(array_bytes(shape_), use);
    (void)workloads::write_noise(*words_, workloads::Noise(7), shape_.block_words());
    sums_ = device.make_buffer(std::uint64_t{shape_.group_size} * shape_.groups * sizeof(std::uint32_t), use);
    (void)run();
  }

  /// Makes it last so long, where the device lets it; returns how long it does.
  double last_ns(double wanted_ns) {
    for (;;) {
      const double ns = run().count();
      if (ns >= wanted_ns || trips_ >= device_.info().most_trips) return ns;
      trips_ = std::min(trips_ * 2, device_.info().most_trips);
    }
  }

  device::Nanoseconds run() { return device_.run(*kernel_, launch()); }
  device::Kernel& kernel() { return *kernel_; }
  device::Launch launch() const {
    return {.buffers = {words_.get(), sums_.get()}, .scalars = walk_.scalars(trips_, 0), .groups = shape_.groups};
  }

 private:
  static StreamShape shape_for(const device::DeviceInfo& info) {
    const bool cpu = info.type == device::DeviceType::cpu;
    return {.group_size = cpu ? 1u : std::min(256u, info.largest_group_size),
            .groups = 2 * workloads::compute_units_of(info),
            .in_flight = 8};
  }
  static std::uint64_t array_bytes(const StreamShape& shape) {
    return std::uint64_t{shape.block_words()} * shape.groups * sizeof(std::uint32_t);
  }

  device::Device& device_;
  StreamShape shape_;
  workloads::StreamWalk walk_;
  std::uint32_t trips_ = 64;
  std::unique_ptr<device::Kernel> kernel_;
  std::unique_ptr<device::Buffer> words_;
  std::unique_ptr<device::Buffer> sums_;
};

struct CopiesBesideKernel {
  device::CopyEngines& copies;
  device::CopyEngine engine;
  BusyKernel busy;
  std::unique_ptr<CopyEndpoints> endpoints;

  double alone_ns() {
    const std::array lists{endpoints->next()};
    const double ns = copies.run(engine, lists).all.count();
    endpoints->check();
    return ns;
  }

  device::BesideTimes together() {
    const device::BesideTimes times = copies.run_beside(engine, endpoints->next(), busy.kernel(), busy.launch());
    endpoints->check();
    return times;
  }
};

/// The share of the copies' time that cost neither them nor the kernel anything.
double share_hidden(double copies_alone_ns, double kernel_alone_ns, const device::BesideTimes& together) {
  if (!together.kernel_outlasted) return 0;
  const double cost_ns = (together.copies.count() - copies_alone_ns) + (together.kernel.count() - kernel_alone_ns);
  return std::clamp(1 - cost_ns / copies_alone_ns, 0.0, 1.0);
}

}  // namespace

Workload prepare_beside_kernel(device::Device& device, const Point& point, const Request& request) {
  device::CopyEngines& copies = device.copy_engines();
  const device::CopyEngine engine = engine_of(point.words);
  const device::CopyQueues queues = copies.queues(engine);
  if (!queues.has_clock)
    throw device::Unsupported(queues.name + " has no clock by which copies beside a kernel could be timed");
  const MakeHost make_host = host_of(copies, point.words);
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const auto work =
      std::shared_ptr<CopiesBesideKernel>(new CopiesBesideKernel{copies, engine, BusyKernel(device), nullptr});
  const auto make_endpoints = [&](std::uint32_t in_a_row) {
    work->endpoints = std::make_unique<CopyEndpoints>(device, point.words.direction.value(),
                                                      Row{.bytes = bytes, .copies = in_a_row}, make_host, request.seed);
  };
  make_endpoints(1);
  (void)work->alone_ns();
  const double one_ns = std::max(work->alone_ns(), 1.0);
  const std::uint32_t most = copies_in_a_row(device, request.effort, bytes, 1);
  const double lasts_ns = work->busy.last_ns(outlasts * std::min(longest_copies_ns, one_ns * most));
  const auto fitting = static_cast<std::uint32_t>(std::min(lasts_ns / outlasts / one_ns, 1.0 * most));
  if (fitting == 0)
    throw device::Unsupported(
        "no kernel of this device lasts twice as long as a copy of this size, so none can outlast copies");
  make_endpoints(fitting);
  const auto repeat = [work](const Limits& limits, const std::function<void()>& alive) {
    const auto once = [&] {
      const double copies_ns = work->alone_ns();
      const double kernel_ns = work->busy.run().count();
      const device::BesideTimes together = work->together();
      return CopyRepetition{gbps_of(work->endpoints->row_bytes(), together.copies),
                            device::Nanoseconds(copies_ns) + together.kernel,
                            {share_hidden(copies_ns, kernel_ns, together)}};
    };
    Repetitions result = repeated(limits, alive, once, {&overlap});
    result.steps = work->endpoints->row().copies;
    return result;
  };
  return {.work = SelfTimedWork{repeat}, .has_cycles = false};
}

}  // namespace sonde::probes::copy_probe
