#include "probes/core_to_core/pair.hpp"

#include <exception>
#include <mutex>
#include <thread>

#include "analysis/statistics.hpp"
#include "cpu/instructions.hpp"
#include "os/threads.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes::core_to_core_probe {
namespace {

using workloads::clock_step;
using workloads::nanoseconds_each;
using Word = std::atomic_ref<std::uint64_t>;

constexpr std::uint32_t page_of_line_bytes = 4096;
/// Round trips of a line that are not timed, before its first sample: then both threads are at this line and know its
/// page.
constexpr std::uint64_t first_round_trips = 10;
/// With so many held lines reading the clock takes next to nothing of a walk, and every core's first translation buffer
/// holds their pages.
constexpr std::uint32_t lines_on_a_huge_page = 256;
constexpr std::uint32_t lines_on_small_pages = 48;
/// Walks that are not timed, in which both threads get to know the pages and the branches.
constexpr int untimed_walks = 3;

/// Tries until its own write took the place of the other's: a try takes the line away, whether it succeeds or not.
void replace(SpinWait& wait, Word word, std::uint64_t before, std::uint64_t after) {
  wait.until([&] {
    std::uint64_t expected = before;
    return word.compare_exchange_strong(expected, after, std::memory_order_acq_rel, std::memory_order_relaxed);
  });
}

void await(SpinWait& wait, Word word, std::uint64_t number) {
  wait.until([&] { return word.load(std::memory_order_acquire) == number; });
}

/// The calling thread's part of `count` round trips that follow `done` others.
void send(SpinWait& wait, Exchange exchange, Word there, Word back, std::uint64_t done, std::uint64_t count) {
  for (std::uint64_t trip = done; trip < done + count; ++trip) {
    if (exchange == Exchange::compare_and_swap) {
      replace(wait, there, 2 * trip, 2 * trip + 1);
    } else {
      there.store(trip + 1, std::memory_order_release);
      await(wait, back, trip + 1);
    }
  }
}
/// The partner's part of all of them.
void send_back(SpinWait& wait, Exchange exchange, Word there, Word back, std::uint64_t count) {
  for (std::uint64_t trip = 0; trip < count; ++trip) {
    if (exchange == Exchange::compare_and_swap) {
      replace(wait, there, 2 * trip + 1, 2 * trip + 2);
    } else {
      await(wait, there, trip + 1);
      back.store(trip + 1, std::memory_order_release);
    }
  }
}

}  // namespace

void SpinWait::check_time(device::Nanoseconds& waited_since) const {
  constexpr device::Nanoseconds longest_wait{10e9};
  const device::Nanoseconds now = cpu::steady_now();
  if (waited_since < device::Nanoseconds(0)) waited_since = now;
  if (given_up_ || now - waited_since > longest_wait) {
    throw device::Unsupported(
        "the system did not run both threads at once, because other programs have their CPUs: measure again when those "
        "are idle");
  }
}

PinnedPair::PinnedPair(int here, int there) : here_(here), there_cpu_(there) {
  run_on_both([](SpinWait&) {}, [this](SpinWait&) { there_holds_ = cpu::Pinned(there_cpu_).holds(); });
}

void PinnedPair::run_on_both(const std::function<void(SpinWait&)>& here, const std::function<void(SpinWait&)>& there) {
  SpinWait wait;
  std::atomic<bool> has_arrived = false;
  // The first to fail makes the other give up, whose own exception tells nothing.
  std::once_flag failed;
  std::exception_ptr failure;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      std::call_once(failed, [&failure] { failure = std::current_exception(); });
      wait.give_up();
    }
  };
  {
    const std::jthread partner([&] {
      guarded([&] {
        const cpu::Pinned pinned(there_cpu_);
        has_arrived = true;
        there(wait);
      });
    });
    guarded([&] {
      wait.until([&] { return has_arrived.load(); });
      here(wait);
    });
  }
  if (failure) std::rethrow_exception(failure);
}

ExchangedLines::ExchangedLines(const ExchangeSize& size, std::uint32_t line_bytes, std::uint64_t seed)
    : size_(size),
      layout_(page_of_line_bytes, line_bytes, 2 * size.lines, seed),
      memory_(std::uint64_t{page_of_line_bytes} * 2 * size.lines, cpu::PageKind::small) {}

std::uint64_t& ExchangedLines::word_of(std::uint32_t line, std::uint32_t way) {
  const std::uint32_t word = layout_.word_of(2 * line + way);
  return *reinterpret_cast<std::uint64_t*>(memory_.data() + std::uint64_t{word} * sizeof(std::uint32_t));
}

std::vector<double> ExchangedLines::round_trips(PinnedPair& pair, Exchange exchange) {
  for (std::uint32_t line = 0; line < size_.lines; ++line) {
    word_of(line, 0) = 0;
    word_of(line, 1) = 0;
  }
  const std::uint64_t trips_of_a_line = first_round_trips + std::uint64_t{size_.samples} * size_.round_trips;
  const device::Nanoseconds step = clock_step();
  std::vector<double> medians;
  const auto here = [&](SpinWait& wait) {
    for (std::uint32_t line = 0; line < size_.lines; ++line) {
      const Word there(word_of(line, 0));
      const Word back(word_of(line, 1));
      send(wait, exchange, there, back, 0, first_round_trips);
      std::uint64_t done = first_round_trips;
      std::vector<double> samples;
      for (std::uint32_t sample = 0; sample < size_.samples; ++sample) {
        const device::Nanoseconds begin = cpu::steady_now();
        send(wait, exchange, there, back, done, size_.round_trips);
        samples.push_back(nanoseconds_each(cpu::steady_now() - begin, size_.round_trips, step));
        done += size_.round_trips;
      }
      medians.push_back(analysis::quantile(samples, 0.5));
    }
  };
  const auto there = [&](SpinWait& wait) {
    for (std::uint32_t line = 0; line < size_.lines; ++line) {
      send_back(wait, exchange, Word(word_of(line, 0)), Word(word_of(line, 1)), trips_of_a_line);
    }
  };
  pair.run_on_both(here, there);
  for (std::uint32_t line = 0; line < size_.lines; ++line) {
    const bool swapped = exchange == Exchange::compare_and_swap;
    if (word_of(line, 0) != (swapped ? 2 * trips_of_a_line : trips_of_a_line) ||
        (!swapped && word_of(line, 1) != trips_of_a_line)) {
      throw device::Error("a line does not hold the number of its round trips, so memory lost or changed a word");
    }
  }
  return medians;
}

std::vector<PairTimes> exchanges_at_once(const std::vector<CpuPair>& pairs, const ExchangeSize& size,
                                         std::uint32_t line_bytes, std::uint64_t seed) {
  std::vector<PairTimes> times(pairs.size());
  std::atomic<bool> all_pinned = true;
  os::Awaited<int> missing(static_cast<int>(pairs.size()));
  std::once_flag failed;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> firsts;
    for (std::size_t index = 0; index < pairs.size(); ++index) {
      firsts.emplace_back([&, index] {
        bool arrived = false;
        try {
          PinnedPair pair(pairs[index].from_cpu(), pairs[index].to_cpu());
          if (!pair.pinned()) all_pinned = false;
          ExchangedLines lines(size, line_bytes, seed + index);
          arrived = true;
          missing.add(-1);
          missing.wait_until([](int number) { return number == 0; });
          times[index].by_compare_and_swap = lines.round_trips(pair, Exchange::compare_and_swap);
          times[index].by_stores = lines.round_trips(pair, Exchange::store);
        } catch (...) {
          std::call_once(failed, [&failure] { failure = std::current_exception(); });
          if (!arrived) missing.add(-1);
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
  // Which threads shared a CPU nobody can tell afterwards.
  if (!all_pinned) {
    throw device::Unsupported("the system does not keep threads on their CPUs, so " + std::to_string(pairs.size()) +
                              " pairs at once would be in each other's way: allow sched_setaffinity");
  }
  return times;
}

HeldLines::HeldLines(std::uint32_t line_bytes, std::uint64_t seed, std::optional<int> node)
    : count_(cpu::has_huge_pages() ? lines_on_a_huge_page : lines_on_small_pages),
      layout_(page_of_line_bytes, line_bytes, count_, seed),
      memory_(std::uint64_t{page_of_line_bytes} * count_, cpu::widest_pages(), node) {
  const std::vector<std::uint32_t> cycle = workloads::random_cycle(count_, seed);
  for (std::uint32_t index = 0; index < count_; ++index) line(index) = {.next = &line(cycle[index]), .walk = 0};
}

HeldLines::SharedLine& HeldLines::line(std::uint32_t index) {
  return *reinterpret_cast<SharedLine*>(memory_.data() + std::uint64_t{layout_.word_of(index)} * sizeof(std::uint32_t));
}

std::vector<double> HeldLines::walks(PinnedPair& pair, LineState held, int count) {
  const device::Nanoseconds step = clock_step();
  std::atomic<int> taken = 0;   // walks for which the lines have been taken
  std::atomic<int> walked = 0;  // walks that have been made
  const int all = untimed_walks + count;
  const auto take = [&](SpinWait& wait) {
    for (int walk = 1; walk <= all; ++walk) {
      wait.until([&] { return walked.load(std::memory_order_acquire) == walk - 1; });
      for (std::uint32_t index = 0; index < count_; ++index) {
        Word(line(index).walk).store(static_cast<std::uint64_t>(walk), std::memory_order_relaxed);
        if (held == LineState::clean) cpu::flush(&line(index));
      }
      if (held == LineState::clean) {
        cpu::wait_for_flushes();
        for (std::uint32_t index = 0; index < count_; ++index) {
          static_cast<void>(Word(line(index).walk).load(std::memory_order_relaxed));
        }
        cpu::wait_for_flushes();  // it waits for these loads too
      }
      taken.store(walk, std::memory_order_release);
    }
  };
  std::vector<double> values;
  const auto read = [&](SpinWait& wait) {
    for (int walk = 1; walk <= all; ++walk) {
      wait.until([&] { return taken.load(std::memory_order_acquire) == walk; });
      const SharedLine* at = &line(0);
      const device::Nanoseconds begin = cpu::steady_now();
#pragma GCC unroll 16
      for (std::uint32_t hop = 0; hop < count_; ++hop) at = at->next;
      asm volatile("" : "+r"(at));  // the walk has ended before the clock is read
      const device::Nanoseconds time = cpu::steady_now() - begin;
      bool seen = at == &line(0);
      for (std::uint32_t index = 0; index < count_; ++index) {
        seen = seen && Word(line(index).walk).load(std::memory_order_relaxed) == static_cast<std::uint64_t>(walk);
      }
      if (!seen) throw device::Error("a walk did not see what the other CPU wrote for it");
      if (walk > untimed_walks) values.push_back(nanoseconds_each(time, count_, step));
      walked.store(walk, std::memory_order_release);
    }
  };
  pair.run_on_both(take, read);
  return values;
}

}  // namespace sonde::probes::core_to_core_probe
