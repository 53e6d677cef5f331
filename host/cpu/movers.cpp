#include "cpu/movers.hpp"

#include <algorithm>

#include "cpu/pinned.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sonde::cpu {
namespace {

/// Moved between two looks at whether to stop: some microseconds' worth.
constexpr std::size_t moved_at_once_bytes = 64 << 10;

using Words = std::span<std::uint64_t>;

void read_all(Words words) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  asm volatile("" : : "r"(sum));  // or nobody would need the sum
}

/// Stores one by one: memset's may be of a kind that reads no line first.
void write_all(Words words, std::uint64_t value) {
  for (std::uint64_t& word : words) {
#ifdef __SSE2__
    asm volatile("movq %1, %0" : "=m"(word) : "r"(value));
#else
    *static_cast<volatile std::uint64_t*>(&word) = value;
#endif
  }
}

void write_past_caches(Words words, std::uint64_t value) {
#ifdef __SSE2__
  const __m128i pair = _mm_set1_epi64x(static_cast<long long>(value));
  for (std::size_t place = 0; place + 1 < words.size(); place += 2)
    _mm_stream_si128(reinterpret_cast<__m128i*>(&words[place]), pair);
  _mm_sfence();
#else
  static_cast<void>(words);
  static_cast<void>(value);
#endif
}

void move_all(Access access, Words words, std::uint64_t round) {
  switch (access) {
    case Access::read: read_all(words); return;
    case Access::write: write_all(words, round); return;
    case Access::non_temporal_write: write_past_caches(words, round); return;
  }
}

void move_on_a_core(int cpu, Access access, Words part, std::atomic<std::uint64_t>& moved,
                    const std::stop_token& stop) {
  const Pinned pinned(cpu);
  const std::size_t step = std::min(part.size(), moved_at_once_bytes / sizeof(std::uint64_t));
  std::size_t at = 0;
  for (std::uint64_t round = 1; !stop.stop_requested();) {
    const Words piece = part.subspan(at, std::min(step, part.size() - at));
    move_all(access, piece, round);
    moved.fetch_add(piece.size_bytes(), std::memory_order_relaxed);
    at += piece.size();
    if (at < part.size()) continue;
    at = 0;
    ++round;
  }
}

}  // namespace

bool has(Access access) {
#ifdef __SSE2__
  static_cast<void>(access);
  return true;
#else
  return access != Access::non_temporal_write;
#endif
}

Movers::Movers(std::span<std::byte> memory, Access access, const std::vector<int>& cpus)
    : count_(cpus.size()), counts_(std::make_unique<Count[]>(cpus.size())) {
  constexpr std::size_t line_words = 8;
  const Words words(reinterpret_cast<std::uint64_t*>(memory.data()), memory.size() / sizeof(std::uint64_t));
  const std::size_t each = words.size() / std::max<std::size_t>(1, count_) / line_words * line_words;
  for (std::size_t thread = 0; thread < count_; ++thread) {
    threads_.emplace_back([cpu = cpus[thread], access, part = words.subspan(thread * each, each),
                           &moved = counts_[thread].bytes](const std::stop_token& stop) {
      move_on_a_core(cpu, access, part, moved, stop);
    });
  }
}

std::uint64_t Movers::bytes_moved() const {
  std::uint64_t sum = 0;
  for (std::size_t thread = 0; thread < count_; ++thread) sum += counts_[thread].bytes.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace sonde::cpu
