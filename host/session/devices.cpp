#include "session/devices.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>

#include "counters/state/sources.hpp"
#include "measure/worker.hpp"
#include "os/this_process.hpp"
#include "records/reader.hpp"
#include "session/host.hpp"
#include "session/target.hpp"
#include "session/worker.hpp"

namespace sonde::session {
namespace {

using records::ApiDevice;
using records::DeviceRecord;

constexpr std::uint32_t line_bytes_of_a_cpu = 64;
constexpr std::uint32_t line_bytes_of_a_gpu = 128;  // of every L2 since 2010, where no driver says

std::string slug(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  while (!text.empty() && text.back() == '-') text.pop_back();
  return text;
}

/// Drivers change names and UUIDs from version to version; a slot does not move.
std::string id_of(const DeviceRecord& device) {
  if (device.type == device::DeviceType::cpu) return "cpu";
  if (!device.pci.empty()) return "gpu-" + device.pci;
  return "gpu-" + slug(device.name);
}

bool same_hardware(const DeviceRecord& device, const device::DeviceInfo& info) {
  if (info.type == device::DeviceType::cpu || device.type == device::DeviceType::cpu) return info.type == device.type;
  if (!info.uuid.empty() && info.uuid == device.uuid) return true;
  if (!info.pci.empty() && !device.pci.empty()) return info.pci == device.pci;
  // A driver that tells neither: two of one name may be two devices, so both stay.
  return false;
}

void add_caches(DeviceRecord& device, const std::vector<device::StatedCache>& stated) {
  std::vector<device::StatedCache>& all = device.stated_caches;
  for (const device::StatedCache& cache : stated) {
    if (std::ranges::find(all, cache) == all.end()) all.push_back(cache);
  }
}

void add_driver(DeviceRecord& device, const ApiDevice& seen) {
  auto& slot = seen.info.api == device::Api::opencl   ? device.opencl
               : seen.info.api == device::Api::vulkan ? device.vulkan
                                                   : device.cpu;
  if (slot) {
    device.further.push_back(seen);
    return;
  }
  slot = seen;
  const device::DeviceInfo& info = seen.info;
  add_caches(device, info.stated_caches);
  if (device.uuid.empty()) device.uuid = info.uuid;
  if (device.pci.empty()) device.pci = info.pci;
  if (device.compute_units == 0) device.compute_units = info.compute_units;
  device.memory_bytes = std::max(device.memory_bytes, info.memory_bytes);
  device.unified_memory = device.unified_memory || info.unified_memory;
  // Vulkan says "integrated" outright; OpenCL's hint may be missing.
  if (info.type == device::DeviceType::integrated) device.type = info.type;
}

void finish(DeviceRecord& device) {
  const bool cpu = device.type == device::DeviceType::cpu;
  const std::uint32_t stated = device.opencl ? device.opencl->info.line_bytes : 0;
  device.line_bytes = stated >= 16 ? stated : cpu ? line_bytes_of_a_cpu : line_bytes_of_a_gpu;
  device.id = id_of(device);
}

std::vector<ApiDevice> devices_of(device::Api api, std::chrono::milliseconds silence_limit, std::string& problem) {
  std::vector<ApiDevice> seen;
  if (os::interrupted()) return seen;
  const auto take = [&](std::string_view text) {
    const auto line = records::parse_line(text);
    if (!line) return;
    if (const auto* found = std::get_if<records::InfoLine>(&*line)) seen.push_back({found->info, seen.size()});
    if (const auto* unsupported = std::get_if<records::UnsupportedLine>(&*line)) problem = unsupported->reason;
  };
  const measure::WorkerEnd end =
      work_in_a_process(records::ListTask{api}, {.line = take, .tick = {}, .diagnostics = {}}, silence_limit);
  if (end.how == measure::WorkerEnd::How::crashed || end.how == measure::WorkerEnd::How::silent) {
    problem = "while it listed its devices, " + end.reason;
    if (!end.last_words.empty()) problem += "; its last words: " + end.last_words;
  }
  return seen;
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

Machine discover_devices(std::chrono::milliseconds silence_limit) {
  Machine machine;
  std::vector<ApiDevice> seen;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) {
    std::string problem;
    const std::vector<ApiDevice> here = devices_of(api, silence_limit, problem);
    seen.insert(seen.end(), here.begin(), here.end());
    if (!problem.empty()) machine.problems[api] = problem;
  }
  std::string problem;
  const std::vector<ApiDevice> processor = devices_of(device::Api::cpu, silence_limit, problem);
  seen.insert(seen.end(), processor.begin(), processor.end());
  if (!problem.empty()) machine.problems[device::Api::cpu] = problem;
  machine.devices = merge(seen);
  for (DeviceRecord& device : machine.devices) {
    for (const auto& [level, bytes] : counters::amdgpu_caches("/", device.pci)) {
      add_caches(device, {{.level = level, .bytes = bytes, .source = "amdgpu"}});
    }
    if (device.type != device::DeviceType::cpu) continue;
    // PoCL and llvmpipe name the CPU after themselves and set limits of their own to its memory.
    const records::HostRecord host = describe_host();
    device.name = host.cpu;
    device.memory_bytes = host.memory_bytes;
  }
  return machine;
}

void say_problems(const Machine& machine) {
  for (const auto& [api, problem] : machine.problems) spdlog::warn("{}: {}", records::spoken_name(api), problem);
}

}  // namespace sonde::session
