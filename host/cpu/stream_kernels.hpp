#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sonde::cpu {

/// STREAM's four, with the names of its arrays' parts: a is written from b, or from b and c.
enum class Stream { read, write, copy, scale, add, triad, read_modify_write };
inline constexpr int streams = 7;

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

/// The same streams for one width of vectors.
struct StreamKernels {
  const char* name;  ///< "AVX2", as people call it
  int vector_bytes;
  /// So many passes over the arrays, by [Stream][Stores]; null where there is no such instruction. Writes and
  /// read_modify_write take and add `scalar`, scale and triad multiply by it. Returns the sum of all words read, modulo
  /// 2^64, of `read`; else 0.
  std::uint64_t (*run[streams][2])(const StreamArrays& arrays, double scalar, std::uint64_t passes);
};

/// Those that this processor has, the widest first.
std::vector<const StreamKernels*> stream_kernels();

}  // namespace sonde::cpu
