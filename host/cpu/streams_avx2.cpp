// Compiled for processors with AVX2, and called on these alone.

#include <immintrin.h>

#include "cpu/stream_kernels_of.hpp"

namespace sonde::cpu {
namespace {

struct Avx2 {
  using Doubles [[gnu::vector_size(32), gnu::may_alias]] = double;
  using Words [[gnu::vector_size(32), gnu::may_alias]] = std::uint64_t;
  static constexpr bool has_stores_past_caches = true;
  static void store_past_caches(double* place, Doubles value) { _mm256_stream_pd(place, value); }
  static void wait_for_stores() { _mm_sfence(); }
};

constexpr auto avx2 = kernels_of<Avx2>("AVX2");
constexpr std::span<const StreamKernels> all_avx2 = avx2;

}  // namespace

std::span<const StreamKernels> avx2_streams() { return all_avx2; }

}  // namespace sonde::cpu
