#include "session/selection.hpp"

#include <spdlog/spdlog.h>

#include "counters/state/sources.hpp"
#include "os/driver_files.hpp"
#include "os/machine.hpp"
#include "os/this_process.hpp"

namespace sonde::session {
namespace {

using records::ApiDevice;
using records::DeviceRecord;

constexpr std::uint32_t line_bytes_of_a_cpu = 64;
constexpr std::uint32_t line_bytes_of_a_gpu = 128;  // every L2 since 2010 has it

/// The id stays the same under another driver: drivers change names and UUIDs, but a slot does not move.
std::string id_of(const DeviceRecord& device) {
  if (device.type == device::DeviceType::cpu) return "cpu";
  if (!device.pci.empty()) return "gpu-" + device.pci;
  return "gpu-" + lower(dashed(device.name, ""));
}

/// Whether the driver of `info` has listed this device before.
bool is_of_same_driver(const DeviceRecord& device, const device::DeviceInfo& info) {
  const auto is_it = [&info](const ApiDevice& seen) {
    return seen.info.api == info.api && seen.info.platform == info.platform && seen.info.driver == info.driver &&
           seen.info.driver_version == info.driver_version;
  };
  const auto found = device.drivers.find(info.api);
  return (found != device.drivers.end() && is_it(found->second)) || std::ranges::any_of(device.further, is_it);
}

bool same_hardware(const DeviceRecord& device, const device::DeviceInfo& info) {
  if (info.type == device::DeviceType::cpu || device.type == device::DeviceType::cpu) return info.type == device.type;
  // A driver lists different devices side by side, though it may state one UUID or one address for all of them. Where
  // both are equal it was itself listed twice.
  if (is_of_same_driver(device, info))
    return !info.uuid.empty() && !info.pci.empty() && info.uuid == device.uuid && info.pci == device.pci;
  if (!info.uuid.empty() && info.uuid == device.uuid) return true;
  if (!info.pci.empty() && !device.pci.empty()) return info.pci == device.pci;
  // Where a driver states neither, two devices of one name may be two, so both stay.
  return false;
}

void add_cache(DeviceRecord& device, const device::StatedCache& cache) {
  std::vector<device::StatedCache>& all = device.stated_caches;
  if (std::ranges::find(all, cache) == all.end()) all.push_back(cache);
}

void add_driver(DeviceRecord& device, const ApiDevice& seen) {
  if (!device.drivers.emplace(seen.info.api, seen).second) {
    device.further.push_back(seen);
    return;
  }
  const device::DeviceInfo& info = seen.info;
  for (const device::StatedCache& cache : info.stated_caches) add_cache(device, cache);
  if (device.uuid.empty()) device.uuid = info.uuid;
  if (device.pci.empty()) device.pci = info.pci;
  if (device.compute_units == 0) device.compute_units = info.compute_units;
  device.memory_bytes = std::max(device.memory_bytes, info.memory_bytes);
  device.unified_memory = device.unified_memory || info.unified_memory;
  // Vulkan states "integrated" outright; OpenCL's hint may be missing.
  if (info.type == device::DeviceType::integrated) device.type = info.type;
}

void finish(DeviceRecord& device) {
  const bool cpu = device.type == device::DeviceType::cpu;
  const ApiDevice* const opencl = records::through(device, device::Api::opencl);
  const std::uint32_t stated = opencl != nullptr ? opencl->info.line_bytes : 0;
  device.line_bytes = stated >= 16 ? stated : cpu ? line_bytes_of_a_cpu : line_bytes_of_a_gpu;
  device.id = id_of(device);
}

}  // namespace

std::vector<DeviceRecord> merge(const std::vector<ApiDevice>& seen) {
  std::vector<DeviceRecord> devices;
  for (const ApiDevice& one : seen) {
    auto found =
        std::ranges::find_if(devices, [&](const DeviceRecord& device) { return same_hardware(device, one.info); });
    if (found == devices.end()) {
      DeviceRecord device;
      device.name = one.info.name;
      device.type = one.info.type;
      found = devices.insert(devices.end(), device);
    }
    add_driver(*found, one);
  }
  std::map<std::string, int> taken;
  for (DeviceRecord& device : devices) {
    finish(device);
    const int count = ++taken[device.id];
    if (count > 1) device.id += "-" + std::to_string(count);
  }
  // GPUs first: they are what the tool is for.
  std::ranges::stable_partition(devices,
                                [](const DeviceRecord& device) { return device.type != device::DeviceType::cpu; });
  return devices;
}

records::HostRecord describe_host() {
  const os::Machine machine = os::describe_machine();
  return {.name = machine.name,
          .os = machine.system,
          .kernel = machine.kernel,
          .cpu = machine.processor,
          .cores = std::max(1u, os::online_cpus()),
          .memory_bytes = os::memory_bytes(),
          .virtualised = machine.virtualised};
}

std::string dashed(const std::string& text, std::string_view plain_signs) {
  std::string word;
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || plain_signs.find(letter) != plain_signs.npos) {
      word += letter;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  word.erase(word.find_last_not_of('-') + 1);
  return word;
}

FoundDevices discover_devices(std::chrono::milliseconds limit) {
  FoundDevices machine;
  machine.drivers = list_drivers(limit);
  leave_out_repeated(machine.drivers);
  const std::vector<std::string> missing = os::missing_for_drivers();
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu}) {
    if (std::string problem = problem_of(api, machine.drivers, missing); !problem.empty())
      machine.problems[api] = std::move(problem);
  }
  std::vector<ApiDevice> seen;
  for (const ListedDriver& driver : machine.drivers) {
    for (std::size_t index = 0; index < driver.devices.size(); ++index)
      seen.push_back({.info = driver.devices[index], .index = index, .driver = driver.choice});
  }
  machine.devices = merge(seen);
  for (DeviceRecord& device : machine.devices) {
    for (const auto& [level, bytes] : counters::amdgpu_caches("/", device.pci))
      add_cache(device, {.level = level, .bytes = bytes, .source = "amdgpu"});
    if (device.type != device::DeviceType::cpu) continue;
    // PoCL and llvmpipe name the CPU after themselves and set limits of their own to its memory.
    const records::HostRecord host = describe_host();
    device.name = host.cpu;
    device.memory_bytes = host.memory_bytes;
  }
  return machine;
}

void warn_of_problems(const FoundDevices& machine) {
  for (const auto& [api, problem] : machine.problems) spdlog::warn("{}: {}", records::spoken_name(api), problem);
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) {
    for (const std::string& sentence : superfluous(api, machine.drivers))
      spdlog::warn("{}: {}", records::spoken_name(api), sentence);
  }
}

}  // namespace sonde::session
