#include "probes/zero_copy/rounds.hpp"

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
#include "measure/stopping.hpp"
#include "probes/zero_copy/shared_buffer.hpp"

namespace sonde::probes {
namespace {

constexpr int untimed_rounds = 2;
constexpr std::uint32_t whole_copies = 3;

struct Rounds {
  SharedBuffer shared;

  device::Nanoseconds now() { return shared.device.host_time(); }

  /// The device writes, the CPU reads.
  device::Nanoseconds to_host(Touch touch) {
    const Words which = shared.choose(touch);
    ++shared.value;
    const device::Nanoseconds begin = now();
    shared.device_writes(which);
    shared.cpu_reads(which);
    return now() - begin;
  }

  /// The CPU writes, the device reads. That it maps the buffer before is the other way's time.
  device::Nanoseconds to_device(Touch touch) {
    const Words which = shared.choose(touch);
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
  device::Nanoseconds within(Touch touch) {
    const Words which = shared.choose(touch);
    ++shared.value;
    shared.device_writes(which);
    shared.cpu_reads(which);
    const device::Nanoseconds begin = now();
    shared.cpu_reads(which);
    return now() - begin;
  }

  device::Nanoseconds round(Touch touch, Way way) {
    switch (way) {
      case Way::to_host: return to_host(touch);
      case Way::to_device: return to_device(touch);
      case Way::within: break;
    }
    return within(touch);
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
Reading explicit_copies(Way way, const std::string& host, const std::function<device::Nanoseconds()>& copy,
                        const std::function<void()>& alive) {
  Reading reading{.series = series_of_explicit_copy(way, host), .unit = "us", .values = {}};
  for (std::uint32_t i = 0; i < whole_copies; ++i) {
    reading.values.push_back(copy().count() / 1e3);
    alive();
  }
  return reading;
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

Reading pageable_copies(Rounds& rounds, Way way, const std::function<void()>& alive) {
  const bool to_host = way == Way::to_host;
  device::Buffer& buffer = *rounds.shared.buffer;
  const std::vector<std::byte> source = noise(buffer.size_bytes(), rounds.shared.random);
  std::vector<std::byte> bytes = to_host ? std::vector<std::byte>(source.size()) : source;
  if (to_host) buffer.write(0, source);
  const auto copy = [&] {
    const device::Nanoseconds begin = rounds.now();
    to_host ? buffer.read(0, bytes) : buffer.write(0, bytes);
    return rounds.now() - begin;
  };
  Reading reading = explicit_copies(way, "pageable", copy, alive);
  if (!to_host) buffer.read(0, bytes);
  check_copied(bytes, source);
  return reading;
}

/// A driver copies behind the program's back as fast as its own memory allows, often much faster than from pageable
/// memory. Nothing where no copy of the device begins in memory of the driver's own.
std::optional<Reading> pinned_copies(Rounds& rounds, Way way, const std::function<void()>& alive) {
  device::Device& device = rounds.shared.device;
  const bool to_host = way == Way::to_host;
  const std::vector<std::byte> source = noise(rounds.shared.buffer->size_bytes(), rounds.shared.random);
  try {
    device::CopyEngines& copies = device.copy_engines();
    const std::unique_ptr<device::HostMemory> host = copies.make_host_memory(device::HostKind::pinned, source.size());
    const std::unique_ptr<device::Buffer> buffer = device.make_buffer(source.size(), device::Use::storage);
    if (to_host) buffer->write(0, source);
    if (!to_host) std::ranges::copy(source, host->bytes().begin());
    const device::CopyEndpoint in_device{.buffer = buffer.get()};
    const device::CopyEndpoint in_host{.host = host.get()};
    const std::array list{
        device::CopyList{{to_host ? in_device : in_host, to_host ? in_host : in_device, source.size()}}};
    const auto copy = [&] { return copies.run(device::CopyEngine::driver, list).all; };
    (void)copy();  // the first touches the pages
    Reading reading = explicit_copies(way, "pinned", copy, alive);
    std::vector<std::byte> found(source.size());
    if (to_host) std::ranges::copy(host->bytes().first(found.size()), found.begin());
    if (!to_host) buffer->read(0, found);
    check_copied(found, source);
    return reading;
  } catch (const device::Unsupported&) {
    return std::nullopt;
  }
}

Repetitions observe(Rounds& rounds, bool with_all, bool with_copy, const Limits& limits,
                    const std::function<void()>& alive) {
  Repetitions result;
  const auto add = [&](Touch touch, Way way, int least) {
    const auto round = [&] { return rounds.round(touch, way); };
    result.further.push_back({.series = series_of(touch, way),
                              .unit = "us",
                              .values = microseconds_of(round, limits_of_each(limits, least), alive)});
  };
  for (const Touch touch : {Touch::word, Touch::pages}) {
    for (const Way way : {Way::to_host, Way::to_device, Way::within}) add(touch, way, 7);
  }
  if (with_all) {
    for (const Way way : {Way::to_host, Way::to_device, Way::within}) add(Touch::all, way, 3);
    const auto kernel_alone = [&] {
      rounds.shared.device_writes(rounds.shared.choose(Touch::all));
      return rounds.shared.kernel_time;
    };
    result.further.push_back({.series = series_of_kernel(),
                              .unit = "us",
                              .values = microseconds_of(kernel_alone, limits_of_each(limits, 3), alive)});
  }
  if (with_copy) {
    for (const Way way : {Way::to_host, Way::to_device}) {
      result.further.push_back(pageable_copies(rounds, way, alive));
      if (const auto pinned = pinned_copies(rounds, way, alive)) result.further.push_back(*pinned);
    }
  }
  result.values = result.further.front().values;  // the first of them is the point's own
  result.further.erase(result.further.begin());
  return result;
}

}  // namespace

std::map<std::string, std::string> series_of(Touch touch, Way way) {
  std::map<std::string, std::string> series{{"order", touch == Touch::word    ? "independent"
                                                      : touch == Touch::pages ? "page"
                                                                              : "cycle"},
                                            {"direction", way == Way::to_host     ? "to-host"
                                                          : way == Way::to_device ? "to-device"
                                                                                  : "within"}};
  if (way == Way::within) series["side"] = "cpu";
  return series;
}

std::map<std::string, std::string> series_of_kernel() {
  return {{"order", "cycle"}, {"direction", "within"}, {"side", "gpu"}};
}

std::map<std::string, std::string> series_of_explicit_copy(Way way, const std::string& host) {
  std::map<std::string, std::string> series = series_of(Touch::all, way);
  series["engine"] = "driver";
  series["host"] = host;
  return series;
}

Workload zero_copy_rounds(device::Device& device, const std::string& memory, std::uint64_t bytes, std::uint64_t seed,
                          bool with_all, bool with_copy) {
  const auto rounds = std::make_shared<Rounds>(SharedBuffer(device, memory, bytes, seed));
  return {
      .unit = "us",
      .has_cycles = false,
      // Which clock it was, and what a round touched where not one word.
      .shape = {{"host_clock", 1}, {"pages", std::min<double>(most_touched_pages, static_cast<double>(bytes) / 4096)}},
      .observe = [rounds, with_all, with_copy](const Limits& limits, const std::function<void()>& alive) {
        return observe(*rounds, with_all, with_copy, limits, alive);
      }};
}

}  // namespace sonde::probes
