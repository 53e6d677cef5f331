#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "device/copy_engines.hpp"
#include "device/error.hpp"
#include "measure/repetitions.hpp"
#include "probes/zero_copy/zero_copy.hpp"

namespace sonde::probes {
namespace {

constexpr int untimed_rounds = 2;
constexpr std::uint32_t whole_copies = 3;

struct Rounds {
  SharedBuffer shared;

  device::Nanoseconds now() { return shared.device.host_time(); }

  /// The device writes, the CPU reads.
  device::Nanoseconds to_host(Order order) {
    const TouchedWords which = shared.choose(order);
    ++shared.value;
    const device::Nanoseconds begin = now();
    shared.device_writes(which);
    shared.cpu_reads(which);
    return now() - begin;
  }

  /// The CPU writes, the device reads. Mapping the buffer before is part of the other direction's time.
  device::Nanoseconds to_device(Order order) {
    const TouchedWords which = shared.choose(order);
    ++shared.value;
    const std::span<std::byte> mapped = shared.buffer->map(device::Access::write);
    const device::Nanoseconds begin = now();
    shared.cpu_writes(mapped, which);
    shared.buffer->unmap();
    shared.device_reads(which);
    const device::Nanoseconds time = now() - begin;
    shared.check_sums(which);
    return time;
  }

  /// The CPU reads what it has read already.
  device::Nanoseconds within(Order order) {
    const TouchedWords which = shared.choose(order);
    ++shared.value;
    shared.device_writes(which);
    shared.cpu_reads(which);
    const device::Nanoseconds begin = now();
    shared.cpu_reads(which);
    return now() - begin;
  }

  device::Nanoseconds round(Order order, Direction direction) {
    switch (direction) {
      case Direction::to_host: return to_host(order);
      case Direction::to_device: return to_device(order);
      default: return within(order);
    }
  }
};

std::vector<double> microseconds_of(const std::function<device::Nanoseconds()>& round, const Limits& limits,
                                    const std::function<void()>& alive) {
  for (int i = 0; i < untimed_rounds; ++i) round();
  measure::StoppingRule rule(limits);
  std::vector<double> values;
  while (!rule.done()) {
    const device::Nanoseconds time = round();
    values.push_back(time.count() / 1e3);
    rule.add(values.back(), time);
    alive();
  }
  return values;
}

/// Rounds are many kinds at one point, and share what it may cost.
Limits limits_of_each(Limits limits, int least) {
  limits.device_time /= 4;
  limits.least_repetitions = least;
  limits.most_repetitions = std::max(least, limits.most_repetitions);
  return limits;
}

/// `copy` returns how long it took.
ExtraValues explicit_copies(Direction direction, HostMemory host, const std::function<device::Nanoseconds()>& copy,
                            const std::function<void()>& alive) {
  ExtraValues copies{.curve = &zero_copy_probe::explicit_copy, .varied = {.direction = direction, .host = host}};
  for (std::uint32_t i = 0; i < whole_copies; ++i) {
    copies.values.push_back(copy().count() / 1e3);
    alive();
  }
  return copies;
}

std::vector<std::byte> noise(std::uint64_t bytes, std::mt19937_64& random) {
  std::vector<std::byte> all(bytes);
  for (std::uint64_t offset = 0; offset + sizeof(std::uint64_t) <= bytes; offset += sizeof(std::uint64_t)) {
    const std::uint64_t number = random();
    std::memcpy(all.data() + offset, &number, sizeof number);
  }
  return all;
}

void check_copied(std::span<const std::byte> found, std::span<const std::byte> source) {
  if (!std::ranges::equal(found, source))
    throw device::Error("memory that was copied to does not hold what was copied; please report the driver");
}

ExtraValues pageable_copies(Rounds& rounds, Direction direction, const std::function<void()>& alive) {
  const bool to_host = direction == Direction::to_host;
  device::Buffer& buffer = *rounds.shared.buffer;
  const std::vector<std::byte> source = noise(buffer.size_bytes(), rounds.shared.random);
  std::vector<std::byte> bytes = to_host ? std::vector<std::byte>(source.size()) : source;
  if (to_host) buffer.write(0, source);
  const auto copy = [&] {
    const device::Nanoseconds begin = rounds.now();
    to_host ? buffer.read(0, bytes) : buffer.write(0, bytes);
    return rounds.now() - begin;
  };
  ExtraValues copies = explicit_copies(direction, HostMemory::pageable, copy, alive);
  if (!to_host) buffer.read(0, bytes);
  check_copied(bytes, source);
  return copies;
}

/// Copies from and to pinned memory: a driver copies behind the program's back as fast as its own memory allows, often
/// much faster than from pageable memory. Nothing where the device has no such copies.
std::optional<ExtraValues> pinned_copies(Rounds& rounds, Direction direction, const std::function<void()>& alive) {
  device::Device& device = rounds.shared.device;
  const bool to_host = direction == Direction::to_host;
  const std::vector<std::byte> source = noise(rounds.shared.buffer->size_bytes(), rounds.shared.random);
  try {
    device::CopyEngines& engines = device.copy_engines();
    const std::unique_ptr<device::HostMemory> host = engines.make_host_memory(device::HostKind::pinned, source.size());
    const std::unique_ptr<device::Buffer> buffer = device.make_buffer(source.size(), device::Use::storage);
    if (to_host) buffer->write(0, source);
    if (!to_host) std::ranges::copy(source, host->bytes().begin());
    const device::CopyEndpoint in_device{.buffer = buffer.get()};
    const device::CopyEndpoint in_host{.host = host.get()};
    const std::array list{
        device::CopyList{{to_host ? in_device : in_host, to_host ? in_host : in_device, source.size()}}};
    const auto copy = [&] { return engines.run(device::CopyEngine::driver, list).all; };
    (void)copy();  // the first touches the pages
    ExtraValues copies = explicit_copies(direction, HostMemory::pinned, copy, alive);
    std::vector<std::byte> found(source.size());
    if (to_host) std::ranges::copy(host->bytes().first(found.size()), found.begin());
    if (!to_host) buffer->read(0, found);
    check_copied(found, source);
    return copies;
  } catch (const device::Unsupported&) {
    return std::nullopt;
  }
}

Repetitions repeat(Rounds& rounds, bool with_all, bool with_copy, const Limits& limits,
                   const std::function<void()>& alive) {
  Repetitions result;
  constexpr std::array directions{Direction::to_host, Direction::to_device, Direction::within};
  const auto add = [&](Order order, Direction direction, int least) {
    const auto round = [&] { return rounds.round(order, direction); };
    const bool again = direction == Direction::within;
    result.extra.push_back({.curve = again ? &zero_copy_probe::read_again : &zero_copy_probe::round,
                            .varied = {.direction = direction, .order = order},
                            .values = microseconds_of(round, limits_of_each(limits, least), alive)});
  };
  for (const Order order : {Order::independent, Order::page}) {
    for (const Direction direction : directions) add(order, direction, 7);
  }
  if (with_all) {
    for (const Direction direction : directions) add(Order::cycle, direction, 3);
    const auto kernel_alone = [&] {
      rounds.shared.device_writes(rounds.shared.choose(Order::cycle));
      return rounds.shared.kernel_time;
    };
    result.extra.push_back({.curve = &zero_copy_probe::kernel_alone,
                            .values = microseconds_of(kernel_alone, limits_of_each(limits, 3), alive)});
  }
  if (with_copy) {
    for (const Direction direction : {Direction::to_host, Direction::to_device}) {
      result.extra.push_back(pageable_copies(rounds, direction, alive));
      if (const auto pinned = pinned_copies(rounds, direction, alive)) result.extra.push_back(*pinned);
    }
  }
  result.values = result.extra.front().values;  // the first of them is the point's own
  result.extra.erase(result.extra.begin());
  return result;
}

}  // namespace

Workload zero_copy_rounds(device::Device& device, measure::Name memory, std::uint64_t bytes, std::uint64_t seed,
                          bool with_all, bool with_copy) {
  const auto rounds = std::make_shared<Rounds>(SharedBuffer(device, memory, bytes, seed));
  return {
      .work = SelfTimedWork{.repeat =
                                         [rounds, with_all, with_copy](const Limits& limits,
                                                                       const std::function<void()>& alive) {
                                           return repeat(*rounds, with_all, with_copy, limits, alive);
                                         }},
      .has_cycles = false,
      // The shape says which clock it was, and how many pages a round touched.
      .shape = {{"host_clock", 1}, {"pages", std::min<double>(most_touched_pages, static_cast<double>(bytes) / 4096)}}};
}

}  // namespace sonde::probes
