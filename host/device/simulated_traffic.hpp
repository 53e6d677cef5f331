#pragma once

#include <vector>

namespace sonde::device {

/// What has moved past the places where a simulated machine counts, in bytes since its device was opened.
struct SimulatedTraffic {
  struct Station {
    double read = 0;
    double write = 0;
  };
  double seconds = 0;             ///< by the simulated clock
  std::vector<Station> stations;  ///< of the fabric, before a memory-side cache; what the CPU asks for is in it
  double memory_read = 0;
  double memory_write = 0;
  double cpu_read = 0;
  double cpu_write = 0;
};

}  // namespace sonde::device
