#include "gpu/copies.hpp"

#include "gpu/error.hpp"

namespace sonde::gpu {

Copies& Device::copies() { throw Unsupported("nothing of this device copies by itself"); }

}  // namespace sonde::gpu
