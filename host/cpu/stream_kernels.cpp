#include "cpu/stream_kernels.hpp"

#include "cpu/stream_kernels_of.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace sonde::cpu {
namespace {

/// Vectors of 16 bytes, which every processor has that this is built for: SSE2 on x86, NEON on Arm.
struct Narrow {
  using Doubles [[gnu::vector_size(16), gnu::may_alias]] = double;
  using Words [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
#if defined(__x86_64__)
  static constexpr bool has_stores_past_caches = true;
  static void store_past_caches(double* place, Doubles value) { _mm_stream_pd(place, value); }
  static void wait_for_stores() { _mm_sfence(); }
#else
  static constexpr bool has_stores_past_caches = false;
  static void store_past_caches(double*, Doubles) {}
  static void wait_for_stores() {}
#endif
};

#if defined(__x86_64__)
constexpr auto narrow = kernels_of<Narrow>("SSE2");
#elif defined(__aarch64__)
constexpr auto narrow = kernels_of<Narrow>("NEON");
#else
constexpr auto narrow = kernels_of<Narrow>("16-byte vectors");
#endif

}  // namespace

std::vector<std::span<const StreamKernels>> stream_kernels() {
  std::vector<std::span<const StreamKernels>> here;
#if defined(__x86_64__)
  // The builtin also asks whether the system saves such registers.
  if (__builtin_cpu_supports("avx512f") != 0) here.push_back(avx512_streams());
  if (__builtin_cpu_supports("avx2") != 0) here.push_back(avx2_streams());
#endif
  here.emplace_back(narrow);
  return here;
}

const StreamKernels& usual_stream_kernels() { return *stream_kernels().front().data(); }

}  // namespace sonde::cpu
