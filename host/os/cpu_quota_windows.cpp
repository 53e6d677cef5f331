#include <windows.h>

#include "os/cpu_quota.hpp"
#include "os/machine.hpp"

// Source: JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, whose rate is in hundredths of a percent of all CPUs.
namespace sonde::os {

std::optional<double> cpu_quota() {
  constexpr double all = 10'000;
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
  if (QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &rate, sizeof rate, nullptr) == 0)
    return std::nullopt;
  constexpr DWORD limited = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  if ((rate.ControlFlags & limited) != limited || rate.CpuRate == 0) return std::nullopt;
  return rate.CpuRate / all * online_cpus();
}

}  // namespace sonde::os
