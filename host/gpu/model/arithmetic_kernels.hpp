#pragma once

#include "gpu/model/kernels.hpp"

namespace sonde::gpu::model {

// The references of kernels/arithmetic_TYPE.cl.
void arithmetic_fp64(Invocation& invocation);
void arithmetic_fp32(Invocation& invocation);
void arithmetic_fp16(Invocation& invocation);
void arithmetic_int64(Invocation& invocation);
void arithmetic_int32(Invocation& invocation);
void arithmetic_int16(Invocation& invocation);
void arithmetic_int8(Invocation& invocation);
void arithmetic_dot4(Invocation& invocation);

}  // namespace sonde::gpu::model
