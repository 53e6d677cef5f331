#pragma once

#include "device/model/kernels.hpp"

namespace sonde::device::model {

/// The third form of kernels/frame_pass.cl.
void frame_pass(Invocation& invocation);

}  // namespace sonde::device::model
