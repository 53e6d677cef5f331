#pragma once

#include "cpu/stream_kernels.hpp"

// A source each, as each is compiled for other processors.
namespace sonde::cpu {

const StreamKernels& narrow_streams();
#if defined(__x86_64__)
const StreamKernels& avx2_streams();
const StreamKernels& avx512_streams();
#endif

}  // namespace sonde::cpu
