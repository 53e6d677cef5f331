#include "probes/core_to_core/exchange.hpp"

#include <atomic>

#include "analysis/statistics.hpp"
#include "cpu/pinned.hpp"
#include "device/error.hpp"

namespace sonde::probes {
namespace {

using Word = std::atomic_ref<std::uint64_t>;

constexpr std::uint32_t page_of_line_bytes = 4096;
/// Untimed, before a line's first sample: both threads are at this line then, and both know its page.
constexpr int first_round_trips = 10;

/// Tries until its own write took the place of the other's: a try takes the line away, whether it succeeds or not.
void replace(Patience& patience, Word word, std::uint64_t before, std::uint64_t after) {
  patience.until([&] {
    std::uint64_t expected = before;
    return word.compare_exchange_strong(expected, after, std::memory_order_acq_rel, std::memory_order_relaxed);
  });
}

void await(Patience& patience, Word word, std::uint64_t number) {
  patience.until([&] { return word.load(std::memory_order_acquire) == number; });
}

/// Both sides of `count` round trips that follow `done` others.
void send(Patience& patience, Exchange exchange, Word there, Word back, std::uint64_t done, int count) {
  for (std::uint64_t trip = done; trip < done + static_cast<std::uint64_t>(count); ++trip) {
    if (exchange == Exchange::compare_and_swap) {
      replace(patience, there, 2 * trip, 2 * trip + 1);
    } else {
      there.store(trip + 1, std::memory_order_release);
      await(patience, back, trip + 1);
    }
  }
}
void send_back(Patience& patience, Exchange exchange, Word there, Word back, std::uint64_t count) {
  for (std::uint64_t trip = 0; trip < count; ++trip) {
    if (exchange == Exchange::compare_and_swap) {
      replace(patience, there, 2 * trip + 1, 2 * trip + 2);
    } else {
      await(patience, there, trip + 1);
      back.store(trip + 1, std::memory_order_release);
    }
  }
}

}  // namespace

ExchangedLines::ExchangedLines(const ExchangeSize& size, std::uint32_t line_bytes, std::uint64_t seed)
    : size_(size),
      layout_(page_of_line_bytes, line_bytes, static_cast<std::uint32_t>(2 * size.lines), seed),
      memory_(std::uint64_t{page_of_line_bytes} * 2 * static_cast<std::uint64_t>(size.lines), cpu::PageKind::small) {}

std::uint64_t& ExchangedLines::word_of(int line, int way) {
  const std::uint32_t word = layout_.word_of(static_cast<std::uint32_t>(2 * line + way));
  return *reinterpret_cast<std::uint64_t*>(memory_.data() + std::uint64_t{word} * sizeof(std::uint32_t));
}

std::vector<double> ExchangedLines::round_trips(Pair& pair, Exchange exchange) {
  for (int line = 0; line < size_.lines; ++line) {
    word_of(line, 0) = 0;
    word_of(line, 1) = 0;
  }
  const auto of_a_line =
      first_round_trips + static_cast<std::uint64_t>(size_.samples) * static_cast<std::uint64_t>(size_.round_trips);
  const device::Nanoseconds step = clock_step();
  std::vector<double> medians;
  const auto here = [&](Patience& patience) {
    for (int line = 0; line < size_.lines; ++line) {
      const Word there(word_of(line, 0));
      const Word back(word_of(line, 1));
      send(patience, exchange, there, back, 0, first_round_trips);
      std::uint64_t done = first_round_trips;
      std::vector<double> samples;
      for (int sample = 0; sample < size_.samples; ++sample) {
        const device::Nanoseconds begin = cpu::steady_now();
        send(patience, exchange, there, back, done, size_.round_trips);
        samples.push_back(nanoseconds_each(cpu::steady_now() - begin, size_.round_trips, step));
        done += static_cast<std::uint64_t>(size_.round_trips);
      }
      medians.push_back(analysis::quantile(samples, 0.5));
    }
  };
  const auto there = [&](Patience& patience) {
    for (int line = 0; line < size_.lines; ++line) {
      send_back(patience, exchange, Word(word_of(line, 0)), Word(word_of(line, 1)), of_a_line);
    }
  };
  pair.together(here, there);
  for (int line = 0; line < size_.lines; ++line) {
    const bool swapped = exchange == Exchange::compare_and_swap;
    if (word_of(line, 0) != (swapped ? 2 * of_a_line : of_a_line) || (!swapped && word_of(line, 1) != of_a_line)) {
      throw device::Error("a line does not hold the number of its round trips, so memory lost or changed a word");
    }
  }
  return medians;
}

}  // namespace sonde::probes
