#pragma once

#include "gpu/model/kernels.hpp"

namespace sonde::gpu::model {

/// The reference of kernels/chase_loaded.cl; docs/model-devices.md says who waits for whom.
void chase_loaded(Invocation& invocation);

}  // namespace sonde::gpu::model
