#pragma once

#include <cstdint>

#include "device/model/description.hpp"

namespace sonde::test {

/// A simulated device of one cache and memory, for tests to add what they are about.
inline device::model::Description small_model(std::uint64_t memory_bytes) {
  device::model::Description model;
  model.name = "small";
  model.memory_bytes = memory_bytes;
  model.clock_mhz = 2000;
  model.launch_ns = 8000;
  model.levels.resize(2);
  model.levels[0].bytes = 32768;
  model.levels[0].latency_ns = 40;
  model.levels[1].latency_ns = 300;
  return model;
}

}  // namespace sonde::test
