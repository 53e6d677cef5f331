#include "probes/zero_copy/rounds.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "gpu/error.hpp"
#include "kernels.hpp"
#include "measure/stopping.hpp"
#include "workloads/memory_kinds.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint32_t growth = 0x9E3779B9u;  // as the kernel has it
constexpr std::uint32_t largest_group = 128;
constexpr std::uint32_t groups_for_all = 64;
constexpr std::uint64_t page_words = 1024;
constexpr int untimed_rounds = 2;
constexpr std::uint32_t whole_copies = 3;

/// Words that lie `step` apart.
struct Words {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 1;
};

struct Rounds {
  gpu::Device& device;
  std::string memory;
  std::uint32_t group_size;
  std::unique_ptr<gpu::Kernel> kernel;
  std::unique_ptr<gpu::Buffer> buffer;
  std::unique_ptr<gpu::Buffer> sums;
  std::uint32_t words;
  std::uint32_t value = 1;  ///< another in every round
  std::mt19937_64 random;
  gpu::Nanoseconds kernel_time{0};  ///< of the last launch, by the device's clock

  Rounds(gpu::Device& on, const std::string& kind, std::uint64_t bytes, std::uint64_t seed)
      : device(on),
        memory(kind),
        group_size(std::min(largest_group, on.info().largest_group_size)),
        kernel(on.make_kernel(kernels::touch, group_size)),
        buffer(workloads::buffer_in(on, kind, bytes)),
        sums(on.make_buffer(std::uint64_t{group_size} * groups_for_all * sizeof(std::uint32_t))),
        words(static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t))),
        random(seed) {
    const Words all = chosen(Touch::all);
    const std::span<std::byte> seen = buffer->map(gpu::Access::write);
    cpu_writes(seen, all);
    buffer->unmap();
    device_writes(all);
  }

  Words chosen(Touch touch) {
    if (touch == Touch::all) return {.first = 0, .step = 1, .count = words};
    if (touch == Touch::word) return {.first = static_cast<std::uint32_t>(random() % words)};
    const auto pages = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(words / page_words, 1, most_touched_pages));
    const std::uint32_t step = words / pages;
    return {.first = static_cast<std::uint32_t>(random() % step), .step = step, .count = pages};
  }

  void cpu_writes(std::span<std::byte> seen, const Words& which) const {
    std::uint32_t word = value;
    for (std::uint64_t i = 0; i < which.count; ++i, word += growth) {
      std::memcpy(seen.data() + (which.first + i * which.step) * sizeof word, &word, sizeof word);
    }
  }

  void check_seen(std::span<const std::byte> seen, const Words& which) const {
    std::uint32_t expected = value;
    for (std::uint64_t i = 0; i < which.count; ++i, expected += growth) {
      const std::uint64_t at = which.first + i * which.step;
      std::uint32_t found = 0;
      std::memcpy(&found, seen.data() + at * sizeof found, sizeof found);
      if (found == expected) continue;
      throw gpu::Error("the CPU found " + std::to_string(found) + " in word " + std::to_string(at) + " of a " +
                       size_text(static_cast<double>(buffer->size_bytes())) + " buffer in " + memory +
                       " memory, where the device had written " + std::to_string(expected) +
                       "; please report the driver");
    }
  }

  /// Which words an item takes: stretches of their own are a CPU's, words side by side a GPU's.
  struct Items {
    std::uint32_t groups = 1;
    std::uint32_t count = 1;
    std::uint32_t each = 1;
    std::uint32_t item_step = 1;
    std::uint32_t loop_step = 1;
  };
  Items items_for(const Words& which) const {
    Items items{.groups = which.count > most_touched_pages ? groups_for_all : 1};
    items.count = items.groups * group_size;
    items.each = (which.count + items.count - 1) / items.count;
    const bool cpu = device.info().type == gpu::DeviceType::cpu;
    items.item_step = cpu ? items.each : 1;
    items.loop_step = cpu ? 1 : items.count;
    return items;
  }

  void launch(const Words& which, std::uint32_t stores) {
    const Items items = items_for(which);
    kernel_time = device.run(*kernel, {.buffers = {buffer.get(), sums.get()},
                                       .scalars = {which.first, which.step, which.count, items.each, items.item_step,
                                                   items.loop_step, value, stores},
                                       .groups = items.groups});
  }

  void device_writes(const Words& which) { launch(which, 1); }
  void device_reads(const Words& which) { launch(which, 0); }

  void check_sums(const Words& which) {
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
      throw gpu::Error("the device did not find what the CPU had written to a " +
                       size_text(static_cast<double>(buffer->size_bytes())) + " buffer in " + memory +
                       " memory; please report the driver");
    }
  }

  gpu::Nanoseconds now() { return device.host_time(); }

  /// The device writes, the CPU reads.
  gpu::Nanoseconds to_host(Touch touch) {
    const Words which = chosen(touch);
    ++value;
    const gpu::Nanoseconds begin = now();
    device_writes(which);
    check_seen(buffer->map(gpu::Access::read), which);
    buffer->unmap();
    return now() - begin;
  }

  /// The CPU writes, the device reads. That it maps the buffer before is the other way's time.
  gpu::Nanoseconds to_device(Touch touch) {
    const Words which = chosen(touch);
    ++value;
    const std::span<std::byte> seen = buffer->map(gpu::Access::write);
    const gpu::Nanoseconds begin = now();
    cpu_writes(seen, which);
    buffer->unmap();
    device_reads(which);
    const gpu::Nanoseconds time = now() - begin;
    check_sums(which);
    return time;
  }

  /// The CPU reads what it has read already.
  gpu::Nanoseconds within(Touch touch) {
    const Words which = chosen(touch);
    ++value;
    device_writes(which);
    check_seen(buffer->map(gpu::Access::read), which);
    buffer->unmap();
    const gpu::Nanoseconds begin = now();
    check_seen(buffer->map(gpu::Access::read), which);
    buffer->unmap();
    return now() - begin;
  }

  gpu::Nanoseconds round(Touch touch, Way way) {
    switch (way) {
      case Way::to_host: return to_host(touch);
      case Way::to_device: return to_device(touch);
      case Way::within: break;
    }
    return within(touch);
  }
};

std::vector<double> microseconds_of(const std::function<gpu::Nanoseconds()>& round, const Limits& limits,
                                    const std::function<void()>& alive) {
  for (int i = 0; i < untimed_rounds; ++i) round();
  measure::StoppingRule rule(limits);
  std::vector<double> values;
  while (!rule.done()) {
    const gpu::Nanoseconds time = round();
    values.push_back(time.count() / 1e3);
    rule.add(values.back(), time);
    alive();
  }
  return values;
}

/// Rounds are many kinds at one point, and share what it may cost.
Limits shared(Limits limits, int least) {
  limits.device_time /= 4;
  limits.least_repetitions = least;
  limits.most_repetitions = std::max(least, limits.most_repetitions);
  return limits;
}

Repetitions observe(Rounds& rounds, bool with_all, bool with_copy, const Limits& limits,
                    const std::function<void()>& alive) {
  Repetitions result;
  const auto add = [&](Touch touch, Way way, int least) {
    const auto round = [&] { return rounds.round(touch, way); };
    result.further.push_back({.series = series_of(touch, way),
                              .unit = "us",
                              .values = microseconds_of(round, shared(limits, least), alive)});
  };
  for (const Touch touch : {Touch::word, Touch::pages}) {
    for (const Way way : {Way::to_host, Way::to_device, Way::within}) add(touch, way, 7);
  }
  if (with_all) {
    for (const Way way : {Way::to_host, Way::to_device, Way::within}) add(Touch::all, way, 3);
    const auto kernel_alone = [&] {
      rounds.device_writes(rounds.chosen(Touch::all));
      return rounds.kernel_time;
    };
    result.further.push_back({.series = series_of_kernel(),
                              .unit = "us",
                              .values = microseconds_of(kernel_alone, shared(limits, 3), alive)});
  }
  if (with_copy) {
    std::vector<std::byte> bytes(rounds.buffer->size_bytes());
    for (const Way way : {Way::to_host, Way::to_device}) {
      Reading reading{.series = series_of_explicit_copy(way), .unit = "us", .values = {}};
      for (std::uint32_t i = 0; i < whole_copies; ++i) {
        const gpu::Nanoseconds begin = rounds.now();
        if (way == Way::to_host) rounds.buffer->read(0, bytes);
        if (way == Way::to_device) rounds.buffer->write(0, bytes);
        reading.values.push_back((rounds.now() - begin).count() / 1e3);
        alive();
      }
      result.further.push_back(reading);
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

std::map<std::string, std::string> series_of_explicit_copy(Way way) {
  std::map<std::string, std::string> series = series_of(Touch::all, way);
  series["engine"] = "driver";
  series["host"] = "pageable";
  return series;
}

Workload zero_copy_rounds(gpu::Device& device, const std::string& memory, std::uint64_t bytes, std::uint64_t seed,
                          bool with_all, bool with_copy) {
  const auto rounds = std::make_shared<Rounds>(device, memory, bytes, seed);
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
