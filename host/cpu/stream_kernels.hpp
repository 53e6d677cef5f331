#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sonde::cpu {

/// STREAM's four, with the names of its arrays' parts: a is written from b, or from b and c. The last three add to a
/// what is in no, one or two further arrays, so that one, two or three lines are read for each that is written, and
/// none besides: a line of a has been read when it is written.
enum class Stream { read, write, copy, scale, add, triad, read_modify_write, read_2_write_1, read_3_write_1 };
inline constexpr int streams = 9;

enum class Stores {
  ordinary,
  non_temporal  ///< go to memory without the line being read first
};

/// Arrays of one thread. `count` elements each, a multiple of `stream_step`; they begin at lines.
struct StreamArrays {
  double* a = nullptr;
  const double* b = nullptr;
  const double* c = nullptr;
  std::size_t count = 0;
};
inline constexpr std::size_t stream_step = 64;

/// The same streams for one width of vectors and one number of them in a trip of the loop.
struct StreamKernels {
  const char* name;  ///< "AVX2", as people call it
  int vector_bytes;
  int in_flight;  ///< so many vectors of each array in a trip, none of which waits for another
  /// So many passes over the arrays, by [Stream][Stores]; null where there is no such instruction. Writes and
  /// read_modify_write take and add `scalar`, scale and triad multiply by it. Returns the sum of all words read, modulo
  /// 2^64, of `read`; else 0.
  std::uint64_t (*run[streams][2])(const StreamArrays& arrays, double scalar, std::uint64_t passes);
};

/// Those that this processor has, the widest first; of a width those with most in flight first, which are fast
/// nearly everywhere.
std::vector<std::span<const StreamKernels>> stream_kernels();

}  // namespace sonde::cpu
