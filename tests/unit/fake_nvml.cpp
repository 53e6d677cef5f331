// Stands for libnvidia-ml.so.1; with OLD defined for one of a driver before R535, whose names it has.

#include "fake_nvml.hpp"

#include <cstring>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr int not_supported = 3;
constexpr int not_found = 6;

int answer(int value, unsigned* into) {
  if (value < 0) return not_supported;
  *into = static_cast<unsigned>(value);
  return 0;
}

}  // namespace

EXPORTED FakeNvml fake_nvml;
FakeNvml fake_nvml;

EXPORTED int nvmlInit_v2() {
  ++fake_nvml.initialised;
  return 0;
}
EXPORTED int nvmlShutdown() {
  --fake_nvml.initialised;
  return 0;
}
EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
  if (std::strcmp(pci, fake_nvml.pci) != 0) return not_found;
  *device = &fake_nvml;
  return 0;
}
EXPORTED int nvmlDeviceGetClockInfo(void*, int type, unsigned* clock_mhz) {
  return answer(type == 0 ? fake_nvml.graphics_clock_mhz : type == 2 ? fake_nvml.memory_clock_mhz : -1, clock_mhz);
}
EXPORTED int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* clock_mhz) {
  return answer(type == 2 ? fake_nvml.highest_memory_clock_mhz : -1, clock_mhz);
}
EXPORTED int nvmlDeviceGetMemoryBusWidth(void*, unsigned* bits) { return answer(fake_nvml.bus_bits, bits); }
EXPORTED int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  return answer(sensor == 0 ? fake_nvml.temperature_celsius : -1, celsius);
}
EXPORTED int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return answer(fake_nvml.average_milliwatts, milliwatts);
}

#ifdef OLD
EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
#else
/// The layout is that of the guide's nvmlFieldValue_t.
struct Field {
  unsigned id, scope;
  long long timestamp, latency;
  int type, result;
  unsigned long long value;
};

EXPORTED int nvmlDeviceGetFieldValues(void*, int count, Field* fields) {
  for (int index = 0; index < count; ++index) {
    unsigned milliwatts = 0;
    fields[index].type = 1;
    fields[index].result = fields[index].id == 186 ? answer(fake_nvml.present_milliwatts, &milliwatts) : not_supported;
    fields[index].value = milliwatts;
  }
  return 0;
}
EXPORTED int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
#endif
  if (fake_nvml.reasons < 0) return not_supported;
  *reasons = static_cast<unsigned long long>(fake_nvml.reasons);
  return 0;
}
