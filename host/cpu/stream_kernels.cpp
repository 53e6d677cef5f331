#include "cpu/stream_kernels.hpp"

#include "cpu/stream_widths.hpp"

namespace sonde::cpu {

std::vector<std::span<const StreamKernels>> stream_kernels() {
  std::vector<std::span<const StreamKernels>> here;
#if defined(__x86_64__)
  // Both ask whether the system keeps such registers too.
  if (__builtin_cpu_supports("avx512f") != 0) here.push_back(avx512_streams());
  if (__builtin_cpu_supports("avx2") != 0) here.push_back(avx2_streams());
#endif
  here.push_back(narrow_streams());
  return here;
}

}  // namespace sonde::cpu
