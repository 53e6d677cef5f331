#include "device/copies.hpp"

#include "device/error.hpp"

namespace sonde::device {

Copies& Device::copies() { throw Unsupported("nothing of this device copies by itself"); }

}  // namespace sonde::device
