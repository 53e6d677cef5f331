#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sonde::cpu {

/// Reading, writing, STREAM's four kernels with its names of arrays (a is written from b, or from b and c), and three
/// that add to a. They read one, two or three lines for each line written, and no other: a line of a is read before it
/// is written.
enum class Stream { read, write, copy, scale, add, triad, read_modify_write, read_2_write_1, read_3_write_1 };
inline constexpr int streams = 9;

enum class StoreKind {
  ordinary,
  non_temporal  ///< write memory without reading the line first
};

/// One thread's arrays, which begin at cache lines and have `count` elements each, a multiple of `stream_step`.
struct StreamArrays {
  double* a = nullptr;
  const double* b = nullptr;
  const double* c = nullptr;
  std::size_t count = 0;
};
inline constexpr std::size_t stream_step = 64;

/// The streams for one width of vectors and one number of them in a trip of the loop.
struct StreamKernels {
  const char* name;  ///< "AVX2"
  int vector_bytes;
  int in_flight;  ///< independent vectors of each array in a trip
  /// Makes `passes` over the arrays, by [Stream][Stores]; null where there is no such instruction. `write` stores
  /// `scalar`, read_modify_write adds it, scale and triad multiply by it. `read` returns the sum of all words modulo
  /// 2^64, others 0.
  std::uint64_t (*run[streams][2])(const StreamArrays& arrays, double scalar, std::uint64_t passes);
};

/// The kernels that this processor can run, by width, the widest first. Within a width those with most in flight come
/// first, which are fast nearly everywhere.
std::vector<std::span<const StreamKernels>> stream_kernels();
/// The first of them.
const StreamKernels& usual_stream_kernels();

}  // namespace sonde::cpu
