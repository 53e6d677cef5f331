#include "cpu/movers.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/pinned.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sonde::cpu {
namespace {

/// Some microseconds' worth, moved between two checks whether to stop.
constexpr std::size_t moved_at_once_bytes = 64 << 10;

using Words = std::span<std::uint64_t>;

void read_all(Words words) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  asm volatile("" : : "r"(sum));  // keeps the compiler from dropping the loop
}

/// Stores one by one, as memset may use stores that read no line first.
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

void move_all(MoveKind access, Words words, std::uint64_t round) {
  switch (access) {
    case MoveKind::read: read_all(words); return;
    case MoveKind::write: write_all(words, round); return;
    case MoveKind::non_temporal_write: write_past_caches(words, round); return;
  }
}

void move_on_a_core(int cpu, MoveKind access, Words part, std::atomic<std::uint64_t>& moved,
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

/// The light pace moves 16 KiB every 16 us.
constexpr std::uint64_t piece_bytes = 16 << 10;
constexpr std::chrono::microseconds between_pieces{16};
constexpr std::uint64_t line_bytes = 64;

void read_piece(const std::byte* piece) {
  for (std::uint64_t line = 0; line < piece_bytes; line += line_bytes) {
    static_cast<void>(*static_cast<const volatile std::byte*>(piece + line));
  }
}

/// Returns the bytes moved; `both` reads one half of the memory and writes the other.
std::uint64_t move_piece(StreamDirection direction, std::byte* memory, std::uint64_t size_bytes, std::uint64_t offset,
                         int round) {
  switch (direction) {
    case StreamDirection::read: read_piece(memory + offset); return piece_bytes;
    case StreamDirection::write: std::memset(memory + offset, round, piece_bytes); return piece_bytes;
    case StreamDirection::both: break;
  }
  std::memcpy(memory + size_bytes / 2 + offset, memory + offset, piece_bytes);
  return 2 * piece_bytes;
}

}  // namespace

bool has(MoveKind access) {
#ifdef __SSE2__
  static_cast<void>(access);
  return true;
#else
  return access != MoveKind::non_temporal_write;
#endif
}

Movers::Movers(std::span<std::byte> memory, MoveKind access, const std::vector<int>& cpus) : counts_(cpus.size()) {
  constexpr std::size_t line_words = 8;
  const Words words(reinterpret_cast<std::uint64_t*>(memory.data()), memory.size() / sizeof(std::uint64_t));
  const std::size_t each = words.size() / std::max<std::size_t>(1, cpus.size()) / line_words * line_words;
  for (std::size_t thread = 0; thread < cpus.size(); ++thread) {
    threads_.emplace_back([cpu = cpus[thread], access, part = words.subspan(thread * each, each),
                           &moved = counts_[thread].bytes](const std::stop_token& stop) {
      move_on_a_core(cpu, access, part, moved, stop);
    });
  }
}

std::uint64_t Movers::bytes_moved() const {
  std::uint64_t sum = 0;
  for (const Count& one : counts_) sum += one.bytes.load(std::memory_order_relaxed);
  return sum;
}

Streamer::Streamer(int cpu, std::uint64_t bytes, StreamDirection direction, Pace pace)
    : memory_(bytes, PageKind::small),
      thread_([this, cpu, direction, pace](const std::stop_token& stop) { stream(cpu, direction, pace, stop); }) {}

void Streamer::stream(int cpu, StreamDirection direction, Pace pace, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const Pinned pinned(cpu);
  const std::uint64_t walked_bytes = memory_.size_bytes() / (direction == StreamDirection::both ? 2 : 1);
  auto next = Clock::now();
  std::uint64_t offset = 0;
  for (int round = 0; !stop.stop_requested();) {
    bytes_moved_ += move_piece(direction, memory_.data(), memory_.size_bytes(), offset, round);
    offset += piece_bytes;
    if (offset + piece_bytes > walked_bytes) {
      offset = 0;
      ++round;
    }
    if (pace == Pace::full) continue;
    next += between_pieces;
    while (Clock::now() < next && !stop.stop_requested()) {
    }
    // A thread that lost its core for long shall not catch up with a burst.
    if (Clock::now() > next + 10 * between_pieces) next = Clock::now();
  }
}

}  // namespace sonde::cpu
