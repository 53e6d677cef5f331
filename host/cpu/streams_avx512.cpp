// Compiled for processors with AVX-512, and called on these alone.

#include <immintrin.h>

#include "cpu/stream_kernels_of.hpp"

namespace sonde::cpu {
namespace {

struct Avx512 {
  using Doubles [[gnu::vector_size(64), gnu::may_alias]] = double;
  using Words [[gnu::vector_size(64), gnu::may_alias]] = std::uint64_t;
  static constexpr bool has_stores_past_caches = true;
  static void store_past_caches(double* place, Doubles value) { _mm512_stream_pd(place, value); }
  static void wait_for_stores() { _mm_sfence(); }
};

constexpr auto avx512 = kernels_of<Avx512>("AVX-512");
constexpr std::span<const StreamKernels> all_avx512 = avx512;

}  // namespace

std::span<const StreamKernels> avx512_streams() { return all_avx512; }

}  // namespace sonde::cpu
