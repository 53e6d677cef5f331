#include "commands/list.hpp"

#include <spdlog/spdlog.h>

#include <iostream>

#include "probes/catalog.hpp"
#include "records/lines.hpp"
#include "session/devices.hpp"
#include "session/target.hpp"

namespace sonde::commands {
namespace {

using records::ApiDevice;
using records::DeviceRecord;

std::vector<records::Applicability> answers(const DeviceRecord& device,
                                            const std::map<gpu::Api, std::string>& problems) {
  std::vector<records::Applicability> all;
  for (const measure::Probe* probe : probes::catalog()) {
    for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan, gpu::Api::cpu}) {
      if (!measure::is_asked_through(*probe, api)) continue;
      const ApiDevice* through_api = records::through(device, api);
      std::string answer = "yes";
      if (through_api != nullptr) {
        answer = probe->obstacle(through_api->info).value_or("yes");
      } else {
        const auto problem = problems.find(api);
        answer = problem != problems.end() ? problem->second
                 : api == gpu::Api::cpu    ? "asked of device cpu alone"
                                           : "no " + records::spoken_name(api) + " driver shows this device";
      }
      all.push_back({std::string(probe->name), records::api_name(api), answer});
    }
  }
  return all;
}

void print(const DeviceRecord& device, std::size_t index, const std::vector<records::Applicability>& probes) {
  std::cout << index << "  " << device.name << "  (" << records::type_name(device.type) << ")\n";
  std::cout << "     id " << device.id;
  if (device.memory_bytes != 0)
    std::cout << ", memory " << measure::size_text(static_cast<double>(device.memory_bytes));
  if (device.compute_units != 0) std::cout << ", " << device.compute_units << " compute units";
  if (!device.uuid.empty()) std::cout << ", uuid " << device.uuid;
  std::cout << "\n";
  for (const gpu::Api api : {gpu::Api::opencl, gpu::Api::vulkan}) {
    const ApiDevice* one = records::through(device, api);
    if (one == nullptr) continue;
    std::cout << "     " << records::spoken_name(api) << ": " << one->info.platform << ", driver "
              << one->info.driver_version << ", " << one->info.api_version << "\n";
  }
  for (const ApiDevice& driver : device.further) {
    std::cout << "     also seen by " << driver.info.platform << " " << driver.info.driver_version
              << ", which is not measured; hide the other driver to measure this one\n";
  }
  for (const records::Applicability& probe : probes) {
    std::cout << "     " << probe.probe << " through " << probe.api << ": " << probe.answer << "\n";
  }
}

}  // namespace

ExitStatus list_command(ListFormat format) {
  const session::Machine machine = session::discover_devices();
  for (const auto& [api, problem] : machine.problems) spdlog::warn("{}: {}", records::spoken_name(api), problem);
  if (format == ListFormat::json) {
    std::cout << "[";
    for (std::size_t index = 0; index < machine.devices.size(); ++index) {
      const DeviceRecord& device = machine.devices[index];
      std::cout << (index == 0 ? "\n" : ",\n")
                << records::listed_device_json(device, answers(device, machine.problems));
    }
    std::cout << "\n]\n";
    return ExitStatus::done;
  }
  for (std::size_t index = 0; index < machine.devices.size(); ++index) {
    const DeviceRecord& device = machine.devices[index];
    print(device, index, answers(device, machine.problems));
  }
  if (machine.devices.empty()) std::cout << "No device found.\n";
  std::cout << "\nProbes:\n";
  for (const measure::Probe* probe : probes::catalog())
    std::cout << "  " << probe->name << "  " << probe->question << "\n";
  return ExitStatus::done;
}

}  // namespace sonde::commands
