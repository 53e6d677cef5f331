#include <cstring>

#include "cpu/pinned.hpp"
#include "cpu/stream_kernels.hpp"
#include "probes/split_locks/split_locks.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes {
namespace {

using device::Nanoseconds;
using workloads::nanoseconds_each;

/// So many take a few tenths of a millisecond where each takes a microsecond.
constexpr std::uint64_t least_operations = 200;
/// A reading of the clock is little of such a sample, also where its step is a tenth of a microsecond.
constexpr Nanoseconds shortest_sample{1e4};
constexpr std::uint64_t operations_between_checks = 16;
constexpr Nanoseconds longest_stretch{2e7};
constexpr std::chrono::microseconds between_checks{100};
/// Windows are so short that all of them together hold a machine up for a part of a second.
constexpr Nanoseconds wanted_window{4e5};
constexpr std::size_t least_windows = 3;
/// So many windows are tried for each that is wanted: on a busy machine most are interrupted.
constexpr int most_tries = 8;
/// All locking of a point ends after so long, once it has `least_windows`.
constexpr Nanoseconds longest_locking{2e7};
/// Threads that slept lock after so long, or are asleep again.
constexpr std::chrono::microseconds between_windows{200};

/// Steps that one thread makes in a window and proves.
class Steps {
 public:
  virtual ~Steps() = default;
  /// Throws device::Error where they were not made.
  virtual void go(std::uint64_t steps) = 0;
  /// The value of so many steps in a time, in the work's own unit.
  [[nodiscard]] virtual double value(std::uint64_t steps, Nanoseconds time) const = 0;
};

class Loads final : public Steps {
 public:
  Loads(double bytes, const Request& request)
      : cycle_(static_cast<std::uint32_t>(bytes / request.line_bytes), request.line_bytes, cpu::widest_pages(),
               request.seed),
        at_(cycle_.start()) {
    go(cycle_.size());
  }

  void go(std::uint64_t steps) override {
    for (std::uint64_t step = 0; step < steps; ++step) at_ = *reinterpret_cast<const std::byte* const*>(at_);
    place_ = static_cast<std::uint32_t>((place_ + steps) % cycle_.size());
    if (!cycle_.is_at(place_, at_)) throw device::Error("a walk did not end where its cycle leads to");
  }
  [[nodiscard]] double value(std::uint64_t steps, Nanoseconds time) const override {
    return time.count() / static_cast<double>(steps);
  }

 private:
  workloads::PointerCycle cycle_;
  const std::byte* at_;
  std::uint32_t place_ = 0;
};

/// Each step reads a piece, so that a window is short in memory too.
class Reads final : public Steps {
 public:
  explicit Reads(double bytes)
      : memory_(static_cast<std::uint64_t>(bytes), cpu::widest_pages()),
        kernel_(cpu::usual_stream_kernels().run[static_cast<int>(cpu::Stream::read)][0]),
        piece_(std::min(memory_.size_bytes(), most_piece_bytes) / step_bytes * step_bytes) {
    sum_ = read(0);  // all pieces have the same sum, as all bytes are the same
    go(memory_.size_bytes() / piece_);
  }

  void go(std::uint64_t steps) override {
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (read(offset_) != sum_) throw device::Error("a stream did not find what its memory was filled with");
      offset_ += piece_;
      if (offset_ + piece_ > memory_.size_bytes()) offset_ = 0;
    }
  }
  [[nodiscard]] double value(std::uint64_t steps, Nanoseconds time) const override {
    return static_cast<double>(steps * piece_) / time.count();
  }

 private:
  static constexpr std::uint64_t most_piece_bytes = 64 << 10;
  static constexpr std::uint64_t step_bytes = cpu::stream_step * sizeof(double);

  std::uint64_t read(std::uint64_t offset) {
    auto* const first = reinterpret_cast<double*>(memory_.data() + offset);
    return kernel_({.a = first, .b = first, .c = first, .count = piece_ / sizeof(double)}, 1, 1);
  }

  cpu::Region memory_;
  decltype(cpu::usual_stream_kernels().run[0][0]) kernel_;
  std::uint64_t piece_;
  std::uint64_t offset_ = 0;
  std::uint64_t sum_ = 0;
};

struct SlowedWindow {
  double value = 0;
  Nanoseconds time{0};
  bool interrupted = false;
};

SlowedWindow window_of(Steps& work, std::uint64_t steps) {
  const os::CpuTime before = os::cpu_time_of_this_thread();
  const Nanoseconds begin = cpu::steady_now();
  work.go(steps);
  const Nanoseconds time = cpu::steady_now() - begin;
  return {work.value(steps, time), time,
          os::was_interrupted(before, os::cpu_time_of_this_thread(), time.count() * 1e-9)};
}

}  // namespace

std::uint64_t LockedWord::value() const {
  std::uint64_t value = 0;
  std::memcpy(&value, place(), sizeof value);
  return value;
}

std::vector<double> locked_operations(int cpu, LockedWord& word, int samples) {
  const cpu::Pinned pinned(cpu);
  const Nanoseconds step = workloads::clock_step();
  std::uint64_t number = word.value();
  const auto timed = [&](std::uint64_t operations) {
    const Nanoseconds begin = cpu::steady_now();
    for (const std::uint64_t end = number + operations; number < end; ++number) {
      if (!cpu::compare_and_swap(word.place(), number, number + 1))
        throw device::Error("a word has not counted its locked operations, so memory lost or changed it");
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
  // A thread that sleeps wakes by this, and sees that it is to end.
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
    const Nanoseconds begin = cpu::steady_now();
    while (locking_.value() && !stop.stop_requested()) {
      if (cpu::steady_now() - begin > longest_stretch) {
        stopped_early_ = true;
        std::this_thread::sleep_for(between_checks);
        continue;
      }
      for (std::uint64_t operation = 0; operation < operations_between_checks; ++operation)
        cpu::locked_increment(word_.place());
      operations_ += operations_between_checks;
    }
  }
}

ValuesBesideLocks values_beside_locks(const SplitLockCores& cores, LockedWord& word, SlowedWork work, double bytes,
                                      const Request& request, int windows, const std::function<void()>& alive) {
  std::unique_ptr<Steps> slowed;
  if (work == SlowedWork::load) {
    slowed = std::make_unique<Loads>(bytes, request);
  } else {
    slowed = std::make_unique<Reads>(bytes);
  }
  Lockers lockers(cores.locking, word);
  const cpu::Pinned pinned(cores.slowed->cpu);  // after the threads, which would inherit the mask
  std::uint64_t steps = 1;                      // so many take about a window while nobody locks
  while (window_of(*slowed, steps).time < wanted_window / 2) steps *= 2;
  ValuesBesideLocks values;
  Nanoseconds locked{0};
  const auto wanted = static_cast<std::size_t>(windows);
  const auto wants_more = [&](int tried) {
    if (values.beside_locks.size() >= wanted || tried >= most_tries * windows) return false;
    return locked < longest_locking || (values.beside_locks.size() < least_windows && tried < windows);
  };
  for (int tried = 0; wants_more(tried); ++tried) {
    const SlowedWindow idle = window_of(*slowed, steps);
    const std::uint64_t before = lockers.operations();
    lockers.begin();
    std::this_thread::sleep_for(between_windows);
    const SlowedWindow loaded = window_of(*slowed, steps);
    const bool locked_throughout = lockers.end();
    locked += loaded.time;
    std::this_thread::sleep_for(between_windows);
    alive();
    if (!locked_throughout || lockers.operations() == before || idle.interrupted || loaded.interrupted) continue;
    values.beside_nothing.push_back(idle.value);
    values.beside_locks.push_back(loaded.value);
  }
  if (values.beside_locks.size() < least_windows) {
    throw device::TooShort(
        "hardly any stretch is left in which one core worked and others locked: the kernel puts them to sleep, or "
        "other programs have their CPUs; measure again when those are idle");
  }
  return values;
}

}  // namespace sonde::probes
