#pragma once

#include "device/model/kernels.hpp"

namespace sonde::device::model {

/// The reference of kernels/chase_loaded.cl; docs/model-devices.md says who waits for whom.
void chase_loaded(Invocation& invocation);

}  // namespace sonde::device::model
