#pragma once

/// The answers of the fake of NVIDIA's library, and the calls that it got. A negative number is answered as an error.
struct FakeNvml {
  const char* pci = "0000:41:00.0";
  int graphics_clock_mhz = 1980;
  int memory_clock_mhz = 3201;
  int highest_memory_clock_mhz = 3202;
  int bus_bits = 6144;
  int temperature_celsius = 44;
  int average_milliwatts = 300000;
  int present_milliwatts = 512500;
  long long reasons = 0;
  int initialised = 0;  ///< times, less the times that it was shut down
};
