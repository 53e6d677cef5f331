#include "probes/core_to_core/held_lines.hpp"

#include <atomic>

#include "cpu/instructions.hpp"
#include "cpu/pinned.hpp"
#include "device/error.hpp"
#include "workloads/walk/walk.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint32_t page_of_held_bytes = 4096;
/// So many that reading the clock is next to nothing; and few enough for every core's first translation buffer.
constexpr std::uint32_t lines_on_a_huge_page = 256;
constexpr std::uint32_t lines_on_small_pages = 48;
/// Of both threads: pages get known, and branches.
constexpr int untimed_walks = 3;

template <typename Number>
void write_through(Number& place, Number value) {
  std::atomic_ref(place).store(value, std::memory_order_relaxed);
}

}  // namespace

HeldLines::HeldLines(std::uint32_t line_bytes, std::uint64_t seed, std::optional<int> node)
    : count_(cpu::has_huge_pages() ? lines_on_a_huge_page : lines_on_small_pages),
      layout_(page_of_held_bytes, line_bytes, count_, seed),
      memory_(std::uint64_t{page_of_held_bytes} * count_, cpu::has_huge_pages() ? cpu::PageKind::huge : cpu::PageKind::small,
              node),
      cycle_(workloads::random_cycle(count_, seed)) {
  for (std::uint32_t index = 0; index < count_; ++index) line(index) = {.next = &line(cycle_[index]), .walk = 0};
}

HeldLines::Line& HeldLines::line(std::uint32_t index) {
  return *reinterpret_cast<Line*>(memory_.data() + std::uint64_t{layout_.word_of(index)} * sizeof(std::uint32_t));
}

std::vector<double> HeldLines::walks(Pair& pair, Held held, int count) {
  const device::Nanoseconds step = clock_step();
  std::atomic<int> taken = 0;   // walks for which the lines have been taken
  std::atomic<int> walked = 0;  // walks that have been made
  const int all = untimed_walks + count;
  const auto take = [&](Patience& patience) {
    for (int walk = 1; walk <= all; ++walk) {
      patience.until([&] { return walked.load(std::memory_order_acquire) == walk - 1; });
      for (std::uint32_t index = 0; index < count_; ++index) {
        write_through(line(index).walk, static_cast<std::uint64_t>(walk));
        if (held == Held::clean) cpu::flush(&line(index));
      }
      if (held == Held::clean) {
        cpu::wait_for_flushes();
        for (std::uint32_t index = 0; index < count_; ++index) {
          static_cast<void>(std::atomic_ref(line(index).walk).load(std::memory_order_relaxed));
        }
        cpu::wait_for_flushes();  // and for these loads
      }
      taken.store(walk, std::memory_order_release);
    }
  };
  std::vector<double> values;
  const auto read = [&](Patience& patience) {
    for (int walk = 1; walk <= all; ++walk) {
      patience.until([&] { return taken.load(std::memory_order_acquire) == walk; });
      const Line* at = &line(0);
      const device::Nanoseconds begin = cpu::steady_now();
#pragma GCC unroll 16
      for (std::uint32_t hop = 0; hop < count_; ++hop) at = at->next;
      asm volatile("" : "+r"(at));  // the walk has ended before the clock is read
      const device::Nanoseconds time = cpu::steady_now() - begin;
      bool seen = at == &line(0);
      for (std::uint32_t index = 0; index < count_; ++index) {
        seen = seen &&
               std::atomic_ref(line(index).walk).load(std::memory_order_relaxed) == static_cast<std::uint64_t>(walk);
      }
      if (!seen) throw device::Error("a walk did not see what the other CPU wrote for it");
      if (walk > untimed_walks) values.push_back(nanoseconds_each(time, count_, step));
      walked.store(walk, std::memory_order_release);
    }
  };
  pair.together(take, read);
  return values;
}

}  // namespace sonde::probes
