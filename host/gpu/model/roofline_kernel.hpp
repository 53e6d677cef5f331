#pragma once

#include "gpu/model/kernels.hpp"

namespace sonde::gpu::model {

/// The reference of kernels/roofline.cl, whose arithmetic and whose reads overlap.
void roofline(Invocation& invocation);

}  // namespace sonde::gpu::model
