#pragma once

#include "gpu/model/kernels.hpp"

namespace sonde::gpu::model {

/// The third form of kernels/frame_pass.cl.
void frame_pass(Invocation& invocation);

}  // namespace sonde::gpu::model
