#include "session/choice.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "os/this_process.hpp"
#include "session/selection.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

using records::DeviceRecord;

bool is_cpu(const DeviceRecord& device) { return device.type == device::DeviceType::cpu; }

bool is_of_the_cpu(const measure::Probe* probe) { return probe->target == measure::Target::host_cpu; }

bool are_all_of_the_cpu(const RunRequest& asked) { return std::ranges::all_of(asked.probes, is_of_the_cpu); }

/// Whether the processor itself is asked anything: where no driver's API was chosen, or a probe by a name that no probe
/// of devices has too.
bool asks_the_cpu(const RunRequest& asked) {
  return std::ranges::any_of(asked.probes, [&asked](const measure::Probe* probe) {
    const bool named_for_it = asked.probes_by_name && std::ranges::none_of(asked.probes, [probe](const auto* other) {
      return other->name == probe->name && !is_of_the_cpu(other);
    });
    return is_of_the_cpu(probe) && (asked.api == "all" || named_for_it);
  });
}

std::vector<device::Api> wanted_apis(const RunRequest& asked, const Target& target) {
  if (target.record.model) return {device::Api::model};
  std::vector<device::Api> apis;
  if (!target.beside_gpus && !are_all_of_the_cpu(asked)) {
    if (asked.api != "vulkan") apis.push_back(device::Api::opencl);
    if (asked.api != "opencl") apis.push_back(device::Api::vulkan);
  }
  if (target.record.cpu && asks_the_cpu(asked)) apis.push_back(device::Api::cpu);
  return apis;
}

/// What a run measures where nobody said: the GPUs, and beside them the processor that shares their memory.
void add_the_cpu(std::vector<Target>& targets, const std::vector<DeviceRecord>& devices) {
  if (std::ranges::any_of(targets, is_cpu, &Target::record)) return;
  const auto cpu = std::ranges::find_if(devices, is_cpu);
  if (cpu != devices.end()) targets.push_back({.record = *cpu, .beside_gpus = true});
}

void check_sizes(const measure::Request& request, const DeviceRecord& device) {
  const auto text = [](std::uint64_t bytes) { return measure::size_text(static_cast<double>(bytes)); };
  if (request.smallest_bytes && *request.smallest_bytes < device.line_bytes) {
    throw UsageError("--sizes starts at " + text(*request.smallest_bytes) + ", below one line of " + device.name +
                     " (" + text(device.line_bytes) + ")");
  }
  if (request.largest_bytes && device.memory_bytes != 0 && *request.largest_bytes > device.memory_bytes) {
    throw UsageError("--sizes ends at " + text(*request.largest_bytes) + ", above the memory of " + device.name + " (" +
                     text(device.memory_bytes) + ")");
  }
}

[[noreturn]] void refuse(const Machine& machine) {
  say_problems(machine);
  throw UsageError("there is no device to measure; sonde list says what is missing");
}

}  // namespace

std::vector<std::pair<const Target*, device::Api>> SelectedDevices::work() const {
  std::vector<std::pair<const Target*, device::Api>> work;
  for (const auto& [target, apis] : chosen) {
    for (const device::Api api : apis) {
      if (records::through(target.record, api) != nullptr) work.emplace_back(&target, api);
    }
  }
  return work;
}

std::vector<Target> SelectedDevices::targets() const {
  std::vector<Target> targets;
  std::ranges::transform(chosen, std::back_inserter(targets), &Chosen::target);
  return targets;
}

std::string SelectedDevices::why_not(device::Api api) const {
  const auto problem = machine.problems.find(api);
  if (problem != machine.problems.end()) return problem->second;
  return "no " + records::spoken_name(api) + " driver shows this device; install the GPU's";
}

SelectedDevices choose(const RunRequest& asked, std::chrono::milliseconds silence_limit) {
  const bool only_models =
      !asked.devices.empty() &&
      std::ranges::all_of(asked.devices, [](const std::string& selector) { return selector.starts_with("model:"); });
  SelectedDevices choice{.machine = only_models ? Machine{} : discover_devices(silence_limit), .chosen = {}};
  if (os::interrupted()) return choice;
  if (!only_models && choice.machine.devices.empty()) refuse(choice.machine);
  std::vector<Target> targets = select(choice.machine.devices, asked.devices);
  if (asked.devices.empty() && asks_the_cpu(asked)) add_the_cpu(targets, choice.machine.devices);
  for (Target& target : targets) {
    check_sizes(asked.request, target.record);
    std::vector<device::Api> apis = wanted_apis(asked, target);
    choice.chosen.push_back({std::move(target), std::move(apis)});
  }
  if (!choice.work().empty()) return choice;
  if (are_all_of_the_cpu(asked)) {
    throw UsageError("what was asked is asked of the CPU itself; choose it with --device cpu");
  }
  refuse(choice.machine);
}

}  // namespace sonde::session
