#include "probes/core_to_core/split_loss.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "cpu/pinned.hpp"
#include "cpu/stream_kernels.hpp"
#include "device/error.hpp"
#include "os/time.hpp"
#include "probes/core_to_core/pair.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes {
namespace {

using device::Nanoseconds;

/// So short that all of them together hold a machine up for a part of a second.
constexpr Nanoseconds wanted_window{4e5};
constexpr std::size_t least_windows = 3;
/// As many windows for each that is wanted: on a busy machine most are interrupted.
constexpr int most_tries = 8;
/// Of all locking at one point, once there are as many windows as that.
constexpr Nanoseconds longest_locking{2e7};
/// Until threads that slept lock, or are asleep again.
constexpr std::chrono::microseconds between_windows{200};

cpu::PageKind widest_pages() { return cpu::has_huge_pages() ? cpu::PageKind::huge : cpu::PageKind::small; }

/// Steps that one thread makes in a window, and what they prove.
class Steps {
 public:
  virtual ~Steps() = default;
  /// Throws device::Error where they were not made.
  virtual void go(std::uint64_t steps) = 0;
  /// What `steps` in so many nanoseconds are.
  [[nodiscard]] virtual double value(std::uint64_t steps, Nanoseconds time) const = 0;
};

class Loads final : public Steps {
 public:
  Loads(double bytes, const Request& request)
      : cycle_(static_cast<std::uint32_t>(bytes / request.line_bytes), request.line_bytes, widest_pages(),
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
      : memory_(static_cast<std::uint64_t>(bytes), widest_pages()),
        kernel_(cpu::stream_kernels().front().front().run[static_cast<int>(cpu::Stream::read)][0]),
        piece_(std::min(memory_.size_bytes(), most_piece_bytes) / step_bytes * step_bytes) {
    sum_ = read(0);  // the same in each: all bytes are
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
  decltype(cpu::stream_kernels().front().front().run[0][0]) kernel_;
  std::uint64_t piece_;
  std::uint64_t offset_ = 0;
  std::uint64_t sum_ = 0;
};

struct Window {
  double value = 0;
  Nanoseconds time{0};
  bool interrupted = false;
};

Window window_of(Steps& work, std::uint64_t steps) {
  const os::CpuTime before = os::cpu_time_of_this_thread();
  const Nanoseconds begin = cpu::steady_now();
  work.go(steps);
  const Nanoseconds time = cpu::steady_now() - begin;
  return {work.value(steps, time), time,
          os::was_interrupted(before, os::cpu_time_of_this_thread(), time.count() * 1e-9)};
}

/// As many steps as last about a window while nobody locks.
std::uint64_t steps_of_a_window(Steps& work) {
  std::uint64_t steps = 1;
  while (window_of(work, steps).time < wanted_window / 2) steps *= 2;
  return steps;
}

}  // namespace

Loss loss_while_locked(const SplitLockCores& cores, LockedWord& word, SlowedWork work, double bytes,
                       const Request& request, int windows, const std::function<void()>& alive) {
  std::unique_ptr<Steps> slowed;
  if (work == SlowedWork::load) {
    slowed = std::make_unique<Loads>(bytes, request);
  } else {
    slowed = std::make_unique<Reads>(bytes);
  }
  Lockers lockers(cores.locking, word);
  const cpu::Pinned pinned(cores.slowed->cpu);  // after the threads, which would inherit the mask
  const std::uint64_t steps = steps_of_a_window(*slowed);
  Loss loss;
  Nanoseconds locked{0};
  const auto wanted = static_cast<std::size_t>(windows);
  const auto goes_on = [&](int tried) {
    if (loss.loaded.size() >= wanted || tried >= most_tries * windows) return false;
    return locked < longest_locking || (loss.loaded.size() < least_windows && tried < windows);
  };
  for (int tried = 0; goes_on(tried); ++tried) {
    const Window idle = window_of(*slowed, steps);
    const std::uint64_t before = lockers.operations();
    lockers.begin();
    std::this_thread::sleep_for(between_windows);
    const Window loaded = window_of(*slowed, steps);
    const bool locked_throughout = lockers.end();
    locked += loaded.time;
    std::this_thread::sleep_for(between_windows);
    alive();
    if (!locked_throughout || lockers.operations() == before || idle.interrupted || loaded.interrupted) continue;
    loss.idle.push_back(idle.value);
    loss.loaded.push_back(loaded.value);
  }
  if (loss.loaded.size() < least_windows) {
    throw device::TooShort(
        "hardly any stretch is left in which one core worked and others locked: the kernel puts them to sleep, or "
        "other programs have their CPUs; measure again when those are idle");
  }
  return loss;
}

}  // namespace sonde::probes
