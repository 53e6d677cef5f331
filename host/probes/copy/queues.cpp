// Copies by the queues of an engine: rows of equal copies are held behind a gate and let go together. Beside a kernel
// both are timed alone, then together: what together costs the one or the other is time in which they did not overlap.

#include <algorithm>

#include "kernels.hpp"
#include "measure/counted_work.hpp"
#include "probes/copy/copy.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes::copy_probe {
namespace {

using workloads::StreamShape;

/// Rows of copies on the queues of one engine, all at once.
struct QueuedCopies {
  device::CopyEngines& copies;
  device::CopyEngine engine;
  bool has_clock;
  std::vector<std::unique_ptr<CopyEndpoints>> by_queue;
  int rows_at_once = 1;  ///< an odd number, so that the last one begins elsewhere than the last one before
  int further_rows = 2;
  Limits limits = {};
  std::uint64_t counted_bytes = 0;  ///< of the last rows

  device::CopyTimes run(int rows) {
    std::vector<device::CopyList> lists;
    for (const auto& endpoints : by_queue) {
      device::CopyList& list = lists.emplace_back();
      for (int row = 0; row < rows; ++row) std::ranges::copy(endpoints->next(), std::back_inserter(list));
    }
    counted_bytes = static_cast<std::uint64_t>(rows) * by_queue.front()->row_bytes() * by_queue.size();
    device::CopyTimes times;
    {
      const measure::CountedWindow window(limits, counted_bytes);
      times = copies.run(engine, lists);
    }
    for (const auto& endpoints : by_queue) endpoints->check();
    return times;
  }

  /// The time of one row on every queue.
  device::CopyTimes timed() { return has_clock ? timed_by_device() : timed_by_host(); }

  /// Times enough rows at once that the clock-read overhead, which is subtracted, is at most a quarter of the result.
  device::CopyTimes timed_by_device() {
    constexpr double many_times = 4;
    constexpr std::uint32_t most_copies = 512;
    for (;;) {
      device::CopyTimes times = run(rows_at_once);
      const bool moved = std::ranges::all_of(times.each, [](device::Nanoseconds one) { return one.count() > 0; });
      const bool is_long = moved && times.all.count() > 0 && times.all >= many_times * times.taken_off;
      const int more_rows = 2 * rows_at_once + 1;
      if (!is_long && static_cast<std::uint32_t>(more_rows) * by_queue.front()->row().copies <= most_copies) {
        rows_at_once = more_rows;
        continue;
      }
      if (!moved || times.all.count() <= 0 || times.all < times.taken_off) {
        throw device::TooShort(
            "this many copies take less time than reading the device's clock does; larger ones are measured");
      }
      times.all /= rows_at_once;
      for (device::Nanoseconds& one : times.each) one /= rows_at_once;
      return times;
    }
  }

  /// The slope over the number of rows, which the cost of the gate is no part of; so many rows that it is the smaller
  /// part of each time.
  device::CopyTimes timed_by_host() {
    constexpr int most_attempts = 16;
    constexpr int most_further_rows = 128;
    constexpr device::Nanoseconds long_enough{20e6};
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const device::CopyTimes one = run(1);
      device::CopyTimes times = run(1 + further_rows);
      const bool is_short = times.all < 2 * one.all;
      if (is_short && times.all < long_enough) further_rows = std::min(2 * further_rows, most_further_rows);
      times.all = (times.all - one.all) / further_rows;
      bool is_positive = true;
      for (std::size_t queue = 0; queue < by_queue.size(); ++queue) {
        times.each[queue] = (times.each[queue] - one.each[queue]) / further_rows;
        is_positive = is_positive && times.each[queue].count() > 0;
      }
      if (!is_short && is_positive) return times;
    }
    throw device::TooShort(
        "these queues have no clock of their own, and by the host's many more copies took no longer than "
        "few");
  }
};

/// The kernel lasts at least so many times as long as the copies beside it, and not many more, as its noise is part of
/// what the copies seem to cost it.
constexpr double outlasts = 2;
constexpr double longest_copies_ns = 20e6;

/// Reads a few pages for each compute unit again and again: it keeps all of them busy and leaves memory to the copies.
class BusyKernel {
 public:
  explicit BusyKernel(device::Device& device) : device_(device), walk_(walk_for(device.info())) {
    const StreamShape& shape = walk_.shape;
    const device::Use use = workloads::use_for(device.info(), walk_.trip_bytes());
    kernel_ = device.make_kernel(kernels::stream_read, shape.group_size, shape.constants());
    words_ = device.make_buffer(walk_.trip_bytes(), use);
    (void)workloads::write_noise(*words_, workloads::Noise(7), shape.block_words());
    sums_ = device.make_buffer(std::uint64_t{shape.group_size} * shape.groups * sizeof(std::uint32_t), use);
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
    return {.buffers = {words_.get(), sums_.get()}, .scalars = walk_.scalars(trips_, 0), .groups = walk_.shape.groups};
  }

 private:
  /// Every group has one block.
  static workloads::StreamWalk walk_for(const device::DeviceInfo& info) {
    const bool cpu = info.type == device::DeviceType::cpu;
    const StreamShape shape{.group_size = cpu ? 1u : std::min(256u, info.largest_group_size),
                            .groups = 2 * workloads::compute_units_of(info),
                            .in_flight = 8};
    return {shape, Sharing::separate, std::uint64_t{shape.block_words()} * shape.groups * sizeof(std::uint32_t)};
  }

  device::Device& device_;
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

std::uint32_t copies_in_a_row(device::Device& device, std::uint64_t bytes, std::uint32_t queues) {
  // Some drivers hold no more than a thousand commands; behind a gate, enqueuing more would wait for ever.
  constexpr std::uint64_t most = 128;
  std::uint64_t row_bytes = 16 << 20;
  const device::DeviceType type = device.info().type;
  if (type == device::DeviceType::model) {
    row_bytes = 2 << 20;  // a simulated device needs no long rows to be timed well
  } else if (type != device::DeviceType::cpu) {
    row_bytes *= 4;
  }
  row_bytes = std::min(row_bytes, device.available_bytes() / 8) / queues;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(row_bytes / bytes, 1, most));
}

Workload prepare_by_queues(device::Device& device, const Point& point, const Request& request) {
  device::CopyEngines& copies = device.copy_engines();
  const device::CopyEngine engine = engine_of(point.words);
  const device::CopyQueues offered = copies.queues(engine);
  const Direction way = point.words.direction.value();
  const auto queues = static_cast<std::uint32_t>(point.x.queues.value_or(1));
  const std::uint32_t wanted = way == Direction::both ? 2 * queues : queues;
  if (wanted > offered.count) {
    throw device::Unsupported(offered.name + " can take " + std::to_string(offered.count) +
                              " lists of copies at once, and " + std::to_string(wanted) + " are needed for this");
  }
  const auto work =
      std::make_shared<QueuedCopies>(copies, engine, offered.has_clock, std::vector<std::unique_ptr<CopyEndpoints>>());
  const MakeHost make_host = host_of(copies, point.words);
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const Row row{.bytes = bytes, .copies = copies_in_a_row(device, bytes, wanted)};
  for (std::uint32_t queue = 0; queue < wanted; ++queue) {
    const Direction direction = way != Direction::both ? way
                                : queue % 2 == 0       ? Direction::to_device
                                                       : Direction::to_host;
    work->by_queue.push_back(std::make_unique<CopyEndpoints>(device, direction, row, make_host, request.seed + queue));
  }
  const std::uint64_t queue_bytes = work->by_queue.front()->row_bytes();
  const auto repeat = [work, queue_bytes, both = way == Direction::both](const Limits& limits,
                                                                         const std::function<void()>& alive) {
    work->limits = limits;
    const auto once = [&] {
      const device::CopyTimes times = work->timed();
      CopyRepetition one{gbps_of(queue_bytes * work->by_queue.size(), times.all), times.all};
      if (both) one.further = {gbps_of(queue_bytes, times.each[0]), gbps_of(queue_bytes, times.each[1])};
      return one;
    };
    Repetitions result =
        both ? repeated(limits, alive, once, {&to_device_of_both, &to_host_of_both}) : repeated(limits, alive, once);
    result.counted_steps = work->counted_bytes;
    result.steps = std::uint64_t{work->by_queue.front()->row().copies} * static_cast<std::uint32_t>(work->rows_at_once);
    return result;
  };
  // A counted step is a byte.
  return {.work = SelfTimedWork{repeat}, .bytes_per_step = 1, .has_cycles = false};
}

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
  const std::uint32_t most = copies_in_a_row(device, bytes, 1);
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
