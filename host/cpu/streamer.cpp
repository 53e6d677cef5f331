#include "cpu/streamer.hpp"

#include <chrono>
#include <cstring>

#include "cpu/pinned.hpp"

namespace sonde::cpu {
namespace {

/// A piece every so often, where the pace is light: 16 KiB every 16 us.
constexpr std::uint64_t piece_bytes = 16 << 10;
constexpr std::chrono::microseconds between_pieces{16};
constexpr std::uint64_t line_bytes = 64;

void read_piece(const std::byte* piece) {
  for (std::uint64_t line = 0; line < piece_bytes; line += line_bytes) {
    static_cast<void>(*static_cast<const volatile std::byte*>(piece + line));
  }
}

/// Of what one thread moves; with `both` half of the memory is read and the other half written.
std::uint64_t move_piece(Traffic traffic, std::byte* memory, std::uint64_t size_bytes, std::uint64_t offset,
                         int round) {
  switch (traffic) {
    case Traffic::read: read_piece(memory + offset); return piece_bytes;
    case Traffic::write: std::memset(memory + offset, round, piece_bytes); return piece_bytes;
    case Traffic::both: break;
  }
  std::memcpy(memory + size_bytes / 2 + offset, memory + offset, piece_bytes);
  return 2 * piece_bytes;
}

}  // namespace

Streamer::Streamer(int cpu, std::uint64_t bytes, Traffic traffic, Pace pace)
    : memory_(bytes, Pages::small),
      thread_([this, cpu, traffic, pace](const std::stop_token& stop) { stream(cpu, traffic, pace, stop); }) {}

void Streamer::stream(int cpu, Traffic traffic, Pace pace, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const Pinned pinned(cpu);
  const std::uint64_t walked_bytes = memory_.size_bytes() / (traffic == Traffic::both ? 2 : 1);
  auto next = Clock::now();
  std::uint64_t offset = 0;
  for (int round = 0; !stop.stop_requested();) {
    bytes_moved_ += move_piece(traffic, memory_.data(), memory_.size_bytes(), offset, round);
    offset += piece_bytes;
    if (offset + piece_bytes > walked_bytes) {
      offset = 0;
      ++round;
    }
    if (pace == Pace::full) continue;
    next += between_pieces;
    while (Clock::now() < next && !stop.stop_requested()) {
    }
    // Whoever was put off its core for long does not make up for it with a burst.
    if (Clock::now() > next + 10 * between_pieces) next = Clock::now();
  }
}

}  // namespace sonde::cpu
