#include "probes/copy/work.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "device/error.hpp"
#include "measure/counted_window.hpp"
#include "probes/copy/endpoints.hpp"
#include "probes/copy/repetitions.hpp"

namespace sonde::probes {
namespace {

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
      lists.push_back(endpoints->next());
      for (int row = 1; row < rows; ++row) {
        const device::CopyList further = endpoints->next();
        lists.back().insert(lists.back().end(), further.begin(), further.end());
      }
    }
    counted_bytes = static_cast<std::uint64_t>(rows) * by_queue.front()->row_bytes() * by_queue.size();
    device::CopyTimes times = counted_run(lists);
    for (const auto& endpoints : by_queue) check(*endpoints);
    return times;
  }

  device::CopyTimes counted_run(const std::vector<device::CopyList>& lists) const {
    const measure::CountedWindow window(limits, counted_bytes);
    return copies.run(engine, lists);
  }

  /// Of one row on every queue.
  device::CopyTimes timed() { return has_clock ? timed_by_device() : timed_by_host(); }

  /// Of so many rows at once that what was taken off for the clock is a small part.
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

  /// What the gate costs leaves by the slope, over so many rows that it is the smaller part.
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

std::shared_ptr<QueuedCopies> queued_copies(device::Device& device, const CopyRoute& route, std::uint64_t bytes,
                                            std::uint32_t queues, const Request& request) {
  device::CopyEngines& copies = device.copy_engines();
  const device::CopyEngine engine = *engine_of(route.mover);
  const device::CopyQueues offered = copies.queues(engine);
  const bool both = route.direction == Direction::both;
  const std::uint32_t wanted = both ? 2 * queues : queues;
  if (wanted > offered.count) {
    throw device::Unsupported(offered.name + " can take " + std::to_string(offered.count) +
                              " lists of copies at once, and " + std::to_string(wanted) + " are needed for this");
  }
  const auto work =
      std::make_shared<QueuedCopies>(copies, engine, offered.has_clock, std::vector<std::unique_ptr<CopyEndpoints>>());
  const MakeHost make_host = [&](std::uint64_t size_bytes) {
    return copies.make_host_memory(*kind_of(route.host), size_bytes);
  };
  const Row row{.bytes = bytes, .copies = copies_in_a_row(device, request.effort, bytes, wanted)};
  for (std::uint32_t queue = 0; queue < wanted; ++queue) {
    const Direction direction = !both ? route.direction : queue % 2 == 0 ? Direction::to_device : Direction::to_host;
    work->by_queue.push_back(std::make_unique<CopyEndpoints>(device, direction, row, make_host, request.seed + queue));
  }
  return work;
}

}  // namespace

std::uint32_t copies_in_a_row(device::Device& device, Effort effort, std::uint64_t bytes, std::uint32_t queues) {
  // Some drivers hold no more than a thousand commands; behind a gate, enqueuing more would wait for ever.
  constexpr std::uint64_t most = 128;
  std::uint64_t row_bytes = effort == Effort::quick ? 16 << 20 : effort == Effort::normal ? 32 << 20 : 64 << 20;
  switch (device.info().type) {
    case device::DeviceType::cpu: break;
    // What is simulated needs no long rows to be timed well.
    case device::DeviceType::model: row_bytes = 2 << 20; break;
    case device::DeviceType::discrete:
    case device::DeviceType::integrated: row_bytes *= 4; break;
  }
  row_bytes = std::min(row_bytes, device.available_bytes() / 8) / queues;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(row_bytes / bytes, 1, most));
}

Workload copies_by_engine(device::Device& device, const CopyRoute& route, std::uint64_t bytes, std::uint32_t queues,
                          const Request& request) {
  const auto work = queued_copies(device, route, bytes, queues, request);
  const auto observe = [work, both = route.direction == Direction::both](const Limits& limits,
                                                                         const std::function<void()>& alive) {
    std::vector<double> to_device;
    std::vector<double> to_host;
    const std::uint64_t queue_bytes = work->by_queue.front()->row_bytes();
    Repetitions result;
    work->limits = limits;
    result.values = repeated(limits, alive, [&] {
      const device::CopyTimes times = work->timed();
      if (both) {
        to_device.push_back(gbps(queue_bytes, times.each[0]));
        to_host.push_back(gbps(queue_bytes, times.each[1]));
      }
      return Repetition{gbps(queue_bytes * work->by_queue.size(), times.all), times.all};
    });
    result.counted_steps = work->counted_bytes;
    result.steps = std::uint64_t{work->by_queue.front()->row().copies} * static_cast<std::uint32_t>(work->rows_at_once);
    if (both) {
      to_device.erase(to_device.begin());  // of the untimed one
      to_host.erase(to_host.begin());
      result.further = {{.series = {{"counted", "to-device"}}, .unit = "GB/s", .values = to_device},
                        {.series = {{"counted", "to-host"}}, .unit = "GB/s", .values = to_host}};
    }
    return result;
  };
  // What is counted are bytes.
  return {.unit = "GB/s", .bytes_per_step = 1, .has_cycles = false, .observe = observe};
}

}  // namespace sonde::probes
