#include <windows.h>

#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "os/library.hpp"
#include "os/machine.hpp"
#include "os/windows.hpp"

// Source: RtlGetVersion; the registry, as Windows' own tools read it; Intel's manual and the Hypervisor Top Level
// Functional Specification for cpuid; JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, whose rate is in hundredths of a percent
// of all CPUs.
namespace sonde::os {
namespace {

std::string registry_text(const wchar_t* key, const wchar_t* name) {
  std::array<wchar_t, 256> text{};
  DWORD bytes = sizeof text - sizeof(wchar_t);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, text.data(), &bytes) != ERROR_SUCCESS)
    return "";
  std::string value = narrow(text.data());
  value.erase(value.find_last_not_of(' ') + 1);
  return value;
}

std::string name_in_the_network() {
  std::array<wchar_t, 256> name{};
  auto units = static_cast<DWORD>(name.size());
  return GetComputerNameExW(ComputerNameDnsHostname, name.data(), &units) != 0 ? narrow(name.data()) : "";
}

/// "10.0.22631": the real version, where GetVersion answers the newest that the program's manifest names.
std::string version() {
  const Library ntdll("ntdll.dll");
  LONG (*ask)(OSVERSIONINFOW*) = nullptr;
  ntdll.find("RtlGetVersion", ask);
  OSVERSIONINFOW about{};
  about.dwOSVersionInfoSize = sizeof about;
  if (ask == nullptr || ask(&about) != 0) return "";
  return std::to_string(about.dwMajorVersion) + "." + std::to_string(about.dwMinorVersion) + "." +
         std::to_string(about.dwBuildNumber);
}

/// Names Wine and its version where it runs this program.
std::string wine() {
  const Library ntdll("ntdll.dll");
  const char* (*ask)() = nullptr;
  ntdll.find("wine_get_version", ask);
  return ask != nullptr ? std::string(" (Wine ") + ask() + ")" : "";
}

/// Windows with Hyper-V switched on runs on a hypervisor too. As its first guest it has the whole machine and may
/// create others, and is not counted as virtual.
bool is_virtualised() {
  constexpr unsigned hypervisor = 1u << 31;
  constexpr unsigned hypervisor_leaf = 0x40000000;
  constexpr unsigned may_make_guests = 1u << 0;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & hypervisor) == 0) return false;
  __cpuid(hypervisor_leaf, a, b, c, d);
  std::array<char, 12> maker{};
  std::memcpy(maker.data(), &b, sizeof b);
  std::memcpy(maker.data() + 4, &c, sizeof c);
  std::memcpy(maker.data() + 8, &d, sizeof d);
  if (std::string(maker.data(), maker.size()) != "Microsoft Hv" || a < hypervisor_leaf + 3) return true;
  __cpuid(hypervisor_leaf + 3, a, b, c, d);
  return (b & may_make_guests) == 0;
}

/// Zeros where the call fails.
MEMORYSTATUSEX memory_status() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) != 0 ? status : MEMORYSTATUSEX{};
}

}  // namespace

Machine describe_machine() {
  constexpr const wchar_t* system = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  constexpr const wchar_t* processor = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
  Machine machine;
  machine.name = name_in_the_network();
  machine.system = registry_text(system, L"ProductName") + wine();
  machine.kernel = "Windows NT " + version();
  machine.processor = registry_text(processor, L"ProcessorNameString");
  if (machine.processor.empty()) machine.processor = "x86_64";
  machine.virtualised = is_virtualised();
  return machine;
}

std::uint32_t online_cpus() { return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS); }

std::uint32_t configured_cpus() { return online_cpus(); }

std::uint64_t memory_bytes() { return memory_status().ullTotalPhys; }

std::uint64_t first_data_cache_bytes() {
  DWORD bytes = 0;
  GetLogicalProcessorInformation(nullptr, &bytes);
  std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> all(bytes / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION) + 1);
  bytes = static_cast<DWORD>(all.size() * sizeof all.front());
  if (GetLogicalProcessorInformation(all.data(), &bytes) == 0) return 0;
  for (const SYSTEM_LOGICAL_PROCESSOR_INFORMATION& one : all) {
    const bool holds_data = one.Cache.Type == CacheData || one.Cache.Type == CacheUnified;
    if (one.Relationship == RelationCache && one.Cache.Level == 1 && holds_data) return one.Cache.Size;
  }
  return 0;
}

std::uint64_t available_memory_bytes() {
  const MEMORYSTATUSEX status = memory_status();
  // The first is free memory of the machine, the second what this process may still commit.
  return std::min(status.ullAvailPhys, status.ullAvailPageFile);
}

std::optional<double> cpu_quota() {
  constexpr double all = 10'000;
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
  if (QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &rate, sizeof rate, nullptr) == 0)
    return std::nullopt;
  constexpr DWORD limited = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  if ((rate.ControlFlags & limited) != limited || rate.CpuRate == 0) return std::nullopt;
  return rate.CpuRate / all * online_cpus();
}

// Windows refuses memory and ends nobody for it.
std::uint64_t out_of_memory_kills() { return 0; }

}  // namespace sonde::os
