#pragma once

#include <span>

#include "cpu/stream_kernels.hpp"

// A source each, as each is compiled for other processors.
namespace sonde::cpu {

std::span<const StreamKernels> narrow_streams();
#if defined(__x86_64__)
std::span<const StreamKernels> avx2_streams();
std::span<const StreamKernels> avx512_streams();
#endif

}  // namespace sonde::cpu
