#include "probes/core_to_core/split_locks.hpp"

#include <chrono>
#include <cstring>

#include "cpu/pinned.hpp"
#include "device/error.hpp"
#include "probes/core_to_core/pair.hpp"

namespace sonde::probes {
namespace {

/// A few tenths of a millisecond where each takes a microsecond.
constexpr std::uint64_t least_operations = 200;
/// Beside it a reading of the clock is little, also where its step is a tenth of a microsecond.
constexpr device::Nanoseconds shortest_sample{1e4};
constexpr std::uint64_t operations_between_looks = 16;
constexpr device::Nanoseconds longest_stretch{2e7};
constexpr std::chrono::microseconds between_looks{100};

}  // namespace

LockedWord::LockedWord(std::uint32_t address, std::uint32_t line_bytes)
    : memory_(std::uint64_t{4} * line_bytes, cpu::PageKind::small), address_(address), line_bytes_(line_bytes) {
  set(0);
}

std::uint64_t LockedWord::value() const {
  std::uint64_t value = 0;
  std::memcpy(&value, place(), sizeof value);
  return value;
}

void LockedWord::set(std::uint64_t value) { std::memcpy(place(), &value, sizeof value); }

std::vector<double> locked_operations(int cpu, LockedWord& word, int samples) {
  const cpu::Pinned pinned(cpu);
  const device::Nanoseconds step = clock_step();
  word.set(0);
  std::uint64_t number = 0;
  const auto timed = [&](std::uint64_t operations) {
    const device::Nanoseconds begin = cpu::steady_now();
    for (const std::uint64_t end = number + operations; number < end; ++number) {
      if (!cpu::compare_and_swap(word.place(), number, number + 1))
        throw device::Error("a word does not hold the number of its locked operations, so memory lost or changed it");
    }
    return cpu::steady_now() - begin;
  };
  std::uint64_t operations = least_operations;
  while (timed(operations) < shortest_sample) operations *= 2;
  std::vector<double> values;
  for (int sample = 0; sample < samples; ++sample)
    values.push_back(nanoseconds_each(timed(operations), static_cast<double>(operations), step));
  if (word.value() != number) throw device::Error("a word lost the last of its locked operations");
  return values;
}

Lockers::Lockers(const std::vector<const cpu::Core*>& cores, LockedWord& word) : word_(word) {
  for (const cpu::Core* core : cores) {
    threads_.emplace_back([this, cpu = core->cpu](const std::stop_token& stop) { lock(cpu, stop); });
  }
}

Lockers::~Lockers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  // Who sleeps wakes, and sees that it is to end.
  begin();
  threads_.clear();
}

void Lockers::begin() {
  stopped_early_ = false;
  locking_.set(true);
}

bool Lockers::end() {
  locking_.set(false);
  return !stopped_early_;
}

void Lockers::lock(int cpu, const std::stop_token& stop) {
  const cpu::Pinned pinned(cpu);
  while (!stop.stop_requested()) {
    locking_.wait_until([](bool locking) { return locking; });
    const device::Nanoseconds begin = cpu::steady_now();
    while (locking_.value() && !stop.stop_requested()) {
      if (cpu::steady_now() - begin > longest_stretch) {
        stopped_early_ = true;
        std::this_thread::sleep_for(between_looks);
        continue;
      }
      for (std::uint64_t operation = 0; operation < operations_between_looks; ++operation)
        cpu::locked_increment(word_.place());
      operations_ += operations_between_looks;
    }
  }
}

}  // namespace sonde::probes
