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

bool are_all_of_the_cpu(const Wishes& wishes) {
  return std::ranges::all_of(wishes.probes, &measure::Probe::of_the_cpu);
}

/// Whether the processor itself is asked anything: where no driver's API was chosen, or a probe by its name that is
/// asked of nothing else.
bool asks_the_cpu(const Wishes& wishes) {
  const bool by_any_api = wishes.api == "all";
  return (std::ranges::any_of(wishes.probes, &measure::Probe::of_the_cpu) && (by_any_api || wishes.probes_by_name)) ||
         (std::ranges::any_of(wishes.probes, &measure::Probe::of_the_cpu_too) && by_any_api);
}

std::vector<device::Api> wanted_apis(const Wishes& wishes, const Target& target) {
  if (target.record.model) return {device::Api::model};
  std::vector<device::Api> apis;
  if (!target.beside_gpus && !are_all_of_the_cpu(wishes)) {
    if (wishes.api != "vulkan") apis.push_back(device::Api::opencl);
    if (wishes.api != "opencl") apis.push_back(device::Api::vulkan);
  }
  if (target.record.cpu && asks_the_cpu(wishes)) apis.push_back(device::Api::cpu);
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

std::vector<std::pair<const Target*, device::Api>> Choice::work() const {
  std::vector<std::pair<const Target*, device::Api>> work;
  for (const auto& [target, apis] : chosen) {
    for (const device::Api api : apis) {
      if (records::through(target.record, api) != nullptr) work.emplace_back(&target, api);
    }
  }
  return work;
}

std::vector<Target> Choice::targets() const {
  std::vector<Target> targets;
  std::ranges::transform(chosen, std::back_inserter(targets), &Chosen::target);
  return targets;
}

std::string Choice::why_not(device::Api api) const {
  const auto problem = machine.problems.find(api);
  if (problem != machine.problems.end()) return problem->second;
  return "no " + records::spoken_name(api) + " driver shows this device; install the GPU's";
}

Choice choose(const Wishes& wishes, std::chrono::milliseconds silence_limit) {
  const bool only_models =
      !wishes.devices.empty() &&
      std::ranges::all_of(wishes.devices, [](const std::string& selector) { return selector.starts_with("model:"); });
  Choice choice{.machine = only_models ? Machine{} : discover_devices(silence_limit), .chosen = {}};
  if (os::interrupted()) return choice;
  if (!only_models && choice.machine.devices.empty()) refuse(choice.machine);
  std::vector<Target> targets = select(choice.machine.devices, wishes.devices);
  if (wishes.devices.empty() && asks_the_cpu(wishes)) add_the_cpu(targets, choice.machine.devices);
  for (Target& target : targets) {
    check_sizes(wishes.request, target.record);
    std::vector<device::Api> apis = wanted_apis(wishes, target);
    choice.chosen.push_back({std::move(target), std::move(apis)});
  }
  if (!choice.work().empty()) return choice;
  if (are_all_of_the_cpu(wishes)) {
    throw UsageError("what was asked is asked of the CPU itself; choose it with --device cpu");
  }
  refuse(choice.machine);
}

}  // namespace sonde::session
