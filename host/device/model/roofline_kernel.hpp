#pragma once

#include "device/model/kernels.hpp"

namespace sonde::device::model {

/// The reference of kernels/roofline.cl, whose arithmetic and whose reads overlap.
void roofline(Invocation& invocation);

}  // namespace sonde::device::model
