#include "workloads/cpu/cpu_walk.hpp"

#include <fmt/format.h>

#include "cpu/movers.hpp"
#include "cpu/pinned.hpp"
#include "os/time.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t least_stream_bytes = 64 << 10;
/// More than every known cache holds, as of the GPU's light stream.
constexpr std::uint64_t most_stream_bytes = 512 << 20;
/// A stream beside the walk that has not moved for so long does not keep memory awake.
constexpr device::Nanoseconds longest_alone{50e6};

/// The core that a walk is kept on, and the stream that runs beside it.
struct WalkConditions {
  std::unique_ptr<cpu::Streamer> stream;
  device::Nanoseconds alone{0};  ///< walked since the stream was last seen to have moved
  bool interrupted = false;      ///< the thread did not have its core for all of the last walk
  cpu::Pinned pinned;            ///< made after the stream's thread, which would inherit the mask

  WalkConditions(const CpuPlace& place, std::uint64_t bytes)
      : stream(place.awake_by ? std::make_unique<cpu::Streamer>(
                                    place.awake_by->cpu, std::clamp(bytes, least_stream_bytes, most_stream_bytes),
                                    cpu::StreamDirection::read, cpu::Pace::light)
                              : nullptr),
        pinned(place.core.cpu) {}

  /// Times `walk`. Throws where nothing ran beside it for long although something should keep memory awake.
  template <typename Walk>
  device::Nanoseconds timed(Walk walk) {
    const std::uint64_t moved_before = moved();
    const os::CpuTime own_time_before = os::cpu_time_of_this_thread();
    const auto begin = Clock::now();
    walk();
    const device::Nanoseconds time = Clock::now() - begin;
    interrupted = os::was_interrupted(own_time_before, os::cpu_time_of_this_thread(), time.count() * 1e-9);
    if (stream == nullptr) return time;
    alone = moved() == moved_before ? alone + time : device::Nanoseconds(0);
    if (alone > longest_alone) {
      throw device::Unsupported("the system ran nothing beside the walk, so memory was not kept awake");
    }
    return time;
  }

 private:
  [[nodiscard]] std::uint64_t moved() const { return stream != nullptr ? stream->bytes_moved() : 0; }
};

/// Walks by pointers, not indices: the address is what was loaded, with no arithmetic between, as in other tools.
const std::byte* follow(const std::byte* at, std::uint64_t trips) {
  for (; trips > 0; --trips) {
#pragma GCC unroll 64
    for (std::uint32_t step = 0; step < steps_per_trip; ++step) at = *reinterpret_cast<const std::byte* const*>(at);
  }
  return at;
}

struct CycleWalk {
  PointerCycle cycle;
  WalkConditions conditions;
  std::uint32_t place = 0;  ///< where the walk must stand now
  const std::byte* at;

  CycleWalk(const CpuPlace& where, std::uint32_t count, const LineLayout& layout, std::uint64_t seed)
      : cycle(count, layout, where.pages, seed, where.node),
        conditions(where, std::uint64_t{count} * layout.slot_bytes()),
        at(cycle.start()) {}

  device::Nanoseconds run(std::uint64_t hops) {
    place = static_cast<std::uint32_t>((place + hops) % cycle.size());
    return conditions.timed([&] { at = follow(at, hops / steps_per_trip); });
  }

  std::optional<std::string> proof_failure() const {
    if (cycle.is_at(place, at)) return std::nullopt;
    return "the walk did not end where its cycle leads to, so memory lost or changed a word";
  }
};

struct IndependentWalk {
  cpu::Region memory;
  WalkConditions conditions;
  std::uint32_t count;
  std::uint32_t line_words;
  std::uint64_t seed;
  std::uint32_t word = 0;
  std::uint32_t counter = 0;
  std::uint32_t expected = 0;  ///< the word that must have been loaded last

  IndependentWalk(const CpuPlace& where, std::uint32_t lines, std::uint32_t line_bytes, std::uint64_t with_seed)
      : memory(std::uint64_t{lines} * line_bytes, where.pages, where.node),
        conditions(where, memory.size_bytes()),
        count(lines),
        line_words(line_bytes / 4),
        seed(with_seed) {
    BytesBuffer buffer({memory.data(), memory.size_bytes()});
    write_words(buffer, lines, line_bytes, seed);
  }

  device::Nanoseconds run(std::uint64_t hops) {
    std::uint32_t number = counter;
    for (std::uint64_t hop = 0; hop < hops; ++hop) {
      expected = word_of_line(line_after(expected, ++number, count), seed);
    }
    const auto* lines = reinterpret_cast<const std::uint32_t*>(memory.data());
    return conditions.timed([&] {
      for (std::uint64_t hop = 0; hop < hops; ++hop) {
        word = lines[std::size_t{line_after(word, ++counter, count)} * line_words];
      }
    });
  }

  std::optional<std::string> proof_failure() const {
    if (word == expected) return std::nullopt;
    return "the walk did not load what memory was filled with, so memory lost or changed a word";
  }
};

template <typename Walk>
measure::Workload workload_of(const std::shared_ptr<Walk>& walk, const CpuPlace& place, std::uint64_t lap) {
  return {.work = stepped(walk, {.quantum = steps_per_trip,
                                 .most = most_steps,
                                 .lap = lap,
                                 .interrupted = [walk] { return walk->conditions.interrupted; }}),
          .one_core = false,  // it has seen to that itself
          .shape = {{"cpu", place.core.cpu}, {"pinned", walk->conditions.pinned.holds() ? 1 : 0}}};
}

}  // namespace

PointerCycle::PointerCycle(std::uint32_t count, const LineLayout& layout, cpu::PageKind pages, std::uint64_t seed,
                           std::optional<int> node)
    : memory_(std::uint64_t{count} * layout.slot_bytes(), pages, node),
      layout_(layout),
      places_(random_cycle(count, seed)) {
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    *reinterpret_cast<const std::byte**>(address_of(slot)) = address_of(places_[slot]);
  }
  cycle_to_places(places_);
}

bool PointerCycle::is_at(std::uint32_t place, const std::byte* address) const {
  const auto offset = static_cast<std::uint64_t>(address - memory_.data());
  if (offset >= memory_.size_bytes()) return false;
  const auto slot = static_cast<std::uint32_t>(offset / layout_.slot_bytes());
  return address_of(slot) == address && places_[slot] == place;
}

measure::Workload cpu_cycle_chase(const CpuPlace& place, std::uint32_t count, const LineLayout& layout,
                                  std::uint64_t seed) {
  return workload_of(std::make_shared<CycleWalk>(place, count, layout, seed), place, count);
}

measure::Workload cpu_independent_chase(const CpuPlace& place, std::uint32_t count, std::uint32_t line_bytes,
                                        std::uint64_t seed) {
  return workload_of(std::make_shared<IndependentWalk>(place, count, line_bytes, seed), place, count);
}

device::Nanoseconds clock_step() {
  constexpr int readings = 1000;
  device::Nanoseconds least{1e9};
  device::Nanoseconds before = cpu::steady_now();
  for (int reading = 0; reading < readings; ++reading) {
    const device::Nanoseconds now = cpu::steady_now();
    if (now > before) least = std::min(least, now - before);
    before = now;
  }
  return least;
}

double nanoseconds_each(device::Nanoseconds stretch, double count, device::Nanoseconds clock_step) {
  // Two hardware threads of a core share its first cache: what one wrote the other loads 256 times in half a
  // microsecond, so more steps cannot be asked for.
  constexpr double least_steps = 8;
  if (stretch <= device::Nanoseconds(0)) {
    throw device::Error(fmt::format("the system's clock did not move while cores exchanged lines {:.0f} times", count));
  }
  if (stretch < least_steps * clock_step) {
    throw device::TooShort(
        fmt::format("cores exchanged lines {:.0f} times in {:.0f} ns by the system's clock, of which a reading takes "
                    "{:.0f}: too short to tell; maybe both are hardware threads of one core",
                    count, stretch.count(), clock_step.count()));
  }
  return (stretch - clock_step).count() / count;
}

}  // namespace sonde::workloads
