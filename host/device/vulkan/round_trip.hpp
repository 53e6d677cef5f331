#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// The CPU signals a timeline semaphore that the queue waits for, the queue signals it in turn, the CPU wakes: so many
/// times of that.
std::vector<Nanoseconds> round_trips(const Queue& queue, std::uint32_t count);

}  // namespace sonde::device::vulkan
