// Rounds of the zero-copy probe: one side changes words, and the other has to find them.

#include <cstring>

#include "kernels.hpp"
#include "measure/repetitions.hpp"
#include "probes/zero_copy/zero_copy.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes::zero_copy_probe {
namespace {

constexpr std::uint32_t growth = 0x9E3779B9u;  // as the kernel has it
constexpr std::uint32_t largest_group = 128;
constexpr std::uint32_t groups_for_all = 64;
constexpr std::uint64_t page_words = 1024;
constexpr int untimed_rounds = 2;

/// Words that lie `step` apart.
struct TouchedWords {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 1;
};

/// A buffer that both sides write and read word by word, in rounds. Where one does not find what the other wrote,
/// device::Error is thrown.
struct SharedBuffer {
  device::Device& device;
  std::string memory;
  std::uint32_t group_size;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> buffer;
  std::unique_ptr<device::Buffer> sums;
  std::uint32_t words;
  std::uint32_t value = 1;  ///< another in every round
  std::mt19937_64 random;

  /// Makes the buffer, all of which both sides then have written.
  SharedBuffer(device::Device& on, measure::Name kind, std::uint64_t bytes, std::uint64_t seed)
      : device(on),
        memory(kind.str()),
        group_size(std::min(largest_group, on.info().largest_group_size)),
        kernel(on.make_kernel(kernels::touch, group_size)),
        buffer(workloads::buffer_in(on, kind, bytes)),
        sums(on.make_buffer(std::uint64_t{group_size} * groups_for_all * sizeof(std::uint32_t))),
        words(static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t))),
        random(seed) {
    const TouchedWords all = choose(Order::cycle);
    cpu_writes(buffer->map(device::Access::write), all);
    buffer->unmap();
    device_writes(all);
  }

  TouchedWords choose(Order order) {
    if (order == Order::cycle) return {.first = 0, .step = 1, .count = words};
    if (order == Order::independent) return {.first = static_cast<std::uint32_t>(random() % words)};
    const auto pages = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(words / page_words, 1, most_touched_pages));
    const std::uint32_t step = words / pages;
    return {.first = static_cast<std::uint32_t>(random() % step), .step = step, .count = pages};
  }

  /// The time of a round: within, the CPU reads what it has read already. Mapping the buffer before the CPU writes is
  /// part of the other direction's time.
  device::Nanoseconds round(Order order, Direction direction) {
    const TouchedWords which = choose(order);
    ++value;
    if (direction == Direction::to_device) {
      const std::span<std::byte> mapped = buffer->map(device::Access::write);
      const device::Nanoseconds begin = device.host_time();
      cpu_writes(mapped, which);
      buffer->unmap();
      launch(which, 0);
      const device::Nanoseconds time = device.host_time() - begin;
      check_sums(which);
      return time;
    }
    if (direction == Direction::within) {
      device_writes(which);
      cpu_reads(which);
    }
    const device::Nanoseconds begin = device.host_time();
    if (direction == Direction::to_host) device_writes(which);
    cpu_reads(which);
    return device.host_time() - begin;
  }

  /// The time of the launch, by the device's clock.
  device::Nanoseconds device_writes(const TouchedWords& which) { return launch(which, 1); }

 private:
  void cpu_writes(std::span<std::byte> mapped, const TouchedWords& which) const {
    std::uint32_t word = value;
    for (std::uint64_t i = 0; i < which.count; ++i, word += growth) {
      std::memcpy(mapped.data() + (which.first + i * which.step) * sizeof word, &word, sizeof word);
    }
  }

  /// Maps the buffer, reads the words and unmaps it.
  void cpu_reads(const TouchedWords& which) const {
    const std::span<const std::byte> mapped = buffer->map(device::Access::read);
    std::uint32_t expected = value;
    for (std::uint64_t i = 0; i < which.count; ++i, expected += growth) {
      const std::uint64_t at = which.first + i * which.step;
      std::uint32_t found = 0;
      std::memcpy(&found, mapped.data() + at * sizeof found, sizeof found);
      if (found == expected) continue;
      throw device::Error("the CPU found " + std::to_string(found) + " in word " + std::to_string(at) + " of a " +
                          name() + ", where the device had written " + std::to_string(expected) +
                          "; please report the driver");
    }
    buffer->unmap();
  }

  /// Which words an item takes: a CPU's item has a stretch of its own, a GPU's items take words side by side.
  struct Items {
    std::uint32_t groups = 1;
    std::uint32_t count = 1;
    std::uint32_t each = 1;
    std::uint32_t item_step = 1;
    std::uint32_t loop_step = 1;
  };
  Items items_for(const TouchedWords& which) const {
    Items items{.groups = which.count > most_touched_pages ? groups_for_all : 1};
    items.count = items.groups * group_size;
    items.each = (which.count + items.count - 1) / items.count;
    const bool cpu = device.info().type == device::DeviceType::cpu;
    items.item_step = cpu ? items.each : 1;
    items.loop_step = cpu ? 1 : items.count;
    return items;
  }

  device::Nanoseconds launch(const TouchedWords& which, std::uint32_t stores) {
    const Items items = items_for(which);
    return device.run(*kernel, {.buffers = {buffer.get(), sums.get()},
                                .scalars = {which.first, which.step, which.count, items.each, items.item_step,
                                            items.loop_step, value, stores},
                                .groups = items.groups});
  }

  /// Checks what the device has read.
  void check_sums(const TouchedWords& which) const {
    const Items items = items_for(which);
    std::vector<std::uint32_t> found(items.count);
    sums->read(0, std::as_writable_bytes(std::span(found)));
    for (std::uint32_t item = 0; item < items.count; ++item) {
      std::uint32_t expected = 0;
      for (std::uint32_t turn = 0; turn < items.each; ++turn) {
        const std::uint32_t i = item * items.item_step + turn * items.loop_step;
        if (i < which.count) expected += (value + i * growth) * (2 * i + 1);
      }
      if (found[item] == expected) continue;
      throw device::Error("the device did not find what the CPU had written to a " + name() +
                          "; please report the driver");
    }
  }

  std::string name() const {
    return size_text(static_cast<double>(buffer->size_bytes())) + " buffer in " + memory + " memory";
  }
};

std::vector<double> microseconds_of(const std::function<device::Nanoseconds()>& once, Limits limits, int least,
                                    const std::function<void()>& alive) {
  // Rounds are many kinds at one point, and share what it may cost. Most take microseconds: many of them make even one
  // visit's parts agree.
  limits.device_time /= 8;
  limits.least_repetitions = least;
  limits.most_repetitions = 3 * least;
  measure::StoppingRule rule(limits);
  for (int i = 0; i < untimed_rounds; ++i) once();
  std::vector<double> values;
  while (!rule.done()) {
    const device::Nanoseconds time = once();
    values.push_back(time.count() / 1e3);
    rule.add(values.back(), time);
    alive();
  }
  return values;
}

Repetitions repeat(SharedBuffer& shared, bool with_all, bool with_copy, const Limits& limits,
                   const std::function<void()>& alive) {
  Repetitions result;
  constexpr std::array directions{Direction::to_host, Direction::to_device, Direction::within};
  const auto add = [&](Order order, Direction direction, int least) {
    const auto once = [&] { return shared.round(order, direction); };
    result.extra.push_back({.curve = direction == Direction::within ? &read_again : &round,
                            .varied = {.direction = direction, .order = order},
                            .values = microseconds_of(once, limits, least, alive)});
  };
  for (const Order order : {Order::independent, Order::page}) {
    for (const Direction direction : directions) add(order, direction, 7);
  }
  if (with_all) {
    for (const Direction direction : directions) add(Order::cycle, direction, 3);
    const auto write_all = [&] { return shared.device_writes(shared.choose(Order::cycle)); };
    result.extra.push_back({.curve = &kernel_alone, .values = microseconds_of(write_all, limits, 3, alive)});
  }
  if (with_copy) {
    for (const Direction direction : {Direction::to_host, Direction::to_device}) {
      for (const ExtraValues& made : explicit_copies(shared.device, *shared.buffer, direction, shared.random, alive))
        result.extra.push_back(made);
    }
  }
  result.values = result.extra.front().values;  // the first of them is the point's own
  result.extra.erase(result.extra.begin());
  return result;
}

}  // namespace

Workload prepare_rounds(device::Device& device, const Point& point, const Request& request) {
  const device::MemoryKind& kind = device::memory_kind(device.info(), point.words.memory.text());
  if (const std::string reason = workloads::why_not_shared(kind); !reason.empty()) throw device::Unsupported(reason);
  constexpr double mebibyte = 1 << 20;
  const double bytes = point.x.bytes.value();
  // Rounds over all of a large buffer would take seconds, and say nothing that those over a smaller one do not.
  const bool with_all = bytes <= 16 * mebibyte;
  // Copies are asked for in the first kind that the CPU can map: any kind of the device's is as good.
  const auto first = std::ranges::find_if(
      device.info().memory_kinds, [](const device::MemoryKind& one) { return workloads::why_not_shared(one).empty(); });
  const bool with_copy = first->name == kind.name && bytes <= 64 * mebibyte;
  const auto shared =
      std::make_shared<SharedBuffer>(device, kind.name, static_cast<std::uint64_t>(bytes), request.seed);
  return {
      .work = SelfTimedWork{[shared, with_all, with_copy](const Limits& limits, const std::function<void()>& alive) {
        return repeat(*shared, with_all, with_copy, limits, alive);
      }},
      .has_cycles = false,
      // The shape says which clock it was, and how many pages a round touched.
      .shape = {{"host_clock", 1}, {"pages", std::min<double>(most_touched_pages, bytes / 4096)}}};
}

}  // namespace sonde::probes::zero_copy_probe
