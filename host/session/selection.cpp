#include "session/selection.hpp"

#include <spdlog/spdlog.h>

#include <cctype>

#include "device/model/model.hpp"
#include "os/file.hpp"
#include "os/this_process.hpp"
#include "records/input_files.hpp"

namespace sonde::session {
namespace {

using records::DeviceRecord;

constexpr std::string_view model_prefix = "model:";

bool is_cpu(const DeviceRecord& device) { return device.type == device::DeviceType::cpu; }
bool is_gpu(const DeviceRecord& device) { return !is_cpu(device); }

TargetDevice model_target(const std::string& name) {
  const bool is_file = name.ends_with(".json") || name.find('/') != std::string::npos;
  TargetDevice target;
  device::DeviceInfo info;
  try {
    const records::JsonText model =
        is_file ? records::read_json_text(os::path_of(name), "model") : records::built_in_model_text(name);
    info = device::model::describe(records::parse_model(model));
    target.model_text = model.text;
  } catch (const records::InvalidFile& error) {
    throw UsageError(error.what());
  }
  target.record.id = std::string(model_prefix) + (is_file ? os::path_of(name).stem().string() : name);
  target.record.name = info.name;
  target.record.type = device::DeviceType::model;
  target.record.compute_units = info.compute_units;
  target.record.memory_bytes = info.memory_bytes;
  target.record.unified_memory = info.unified_memory;
  target.record.line_bytes = info.line_bytes;
  target.record.stated_caches = info.stated_caches;
  target.record.drivers[device::Api::model] = {info, 0};
  return target;
}

/// Indices of the devices that one selector names.
std::vector<std::size_t> matches(const std::vector<DeviceRecord>& devices, const std::string& selector) {
  const std::string wanted = lower(selector);
  std::string uuid = wanted;
  std::erase(uuid, '-');
  const auto all_that = [&](const std::function<bool(const DeviceRecord&)>& claim) {
    std::vector<std::size_t> found;
    for (std::size_t index = 0; index < devices.size(); ++index) {
      if (claim(devices[index])) found.push_back(index);
    }
    return found;
  };
  if (wanted == "all") return all_that([](const DeviceRecord&) { return true; });
  if (wanted == "gpu") return all_that(is_gpu);
  if (wanted == "cpu") return all_that(is_cpu);
  if (!wanted.empty() && std::ranges::all_of(wanted, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
      wanted.size() < 6) {
    const std::size_t index = std::stoul(wanted);
    if (index < devices.size()) return {index};  // a larger number may be part of a name: "4090"
  }
  auto exact = all_that([&](const DeviceRecord& device) {
    return lower(device.id) == wanted || (!device.pci.empty() && lower(device.pci) == wanted) ||
           (!device.uuid.empty() && device.uuid == uuid);
  });
  if (!exact.empty() || wanted.empty()) return exact;
  return all_that([&](const DeviceRecord& device) { return lower(device.name).find(wanted) != std::string::npos; });
}

bool is_of_the_cpu(const measure::Probe* probe) { return probe->target == measure::Target::host_cpu; }

bool are_all_of_the_cpu(const RunRequest& asked) { return std::ranges::all_of(asked.probes, is_of_the_cpu); }

/// The processor itself is asked where no driver's API was chosen, or where a probe was chosen by a name that no probe
/// of devices has.
bool asks_the_cpu(const RunRequest& asked) {
  return std::ranges::any_of(asked.probes, [&asked](const measure::Probe* probe) {
    const bool named_for_it = asked.probes_by_name && std::ranges::none_of(asked.probes, [probe](const auto* other) {
                                return other->name == probe->name && !is_of_the_cpu(other);
                              });
    return is_of_the_cpu(probe) && (asked.api == "all" || named_for_it);
  });
}

std::vector<device::Api> wanted_apis(const RunRequest& asked, const TargetDevice& target) {
  if (target.record.drivers.contains(device::Api::model)) return {device::Api::model};
  std::vector<device::Api> apis;
  if (!target.beside_gpus && !are_all_of_the_cpu(asked)) {
    if (asked.api != "vulkan") apis.push_back(device::Api::opencl);
    if (asked.api != "opencl") apis.push_back(device::Api::vulkan);
  }
  if (target.record.drivers.contains(device::Api::cpu) && asks_the_cpu(asked)) apis.push_back(device::Api::cpu);
  return apis;
}

/// A run without --device measures the GPUs, and beside them the processor that shares their memory.
void add_the_cpu(std::vector<TargetDevice>& targets, const std::vector<DeviceRecord>& devices) {
  if (std::ranges::any_of(targets, is_cpu, &TargetDevice::record)) return;
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

[[noreturn]] void refuse(const FoundDevices& machine) {
  warn_of_problems(machine);
  throw UsageError("there is no device to measure; sonde list says what is missing");
}

}  // namespace

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<TargetDevice> select(const std::vector<DeviceRecord>& devices, const std::vector<std::string>& selectors) {
  std::vector<std::string> wanted = selectors;
  if (wanted.empty()) wanted = {std::ranges::any_of(devices, is_gpu) ? "gpu" : "cpu"};
  std::vector<TargetDevice> targets;
  std::set<std::string> models;  // files of one name in different folders are different devices
  const auto taken = [&targets](const std::string& id) {
    return std::ranges::any_of(targets, [&](const TargetDevice& one) { return one.record.id == id; });
  };
  for (const std::string& selector : wanted) {
    if (selector.starts_with(model_prefix)) {
      if (!models.insert(selector).second) continue;
      TargetDevice target = model_target(selector.substr(model_prefix.size()));
      const std::string id = target.record.id;
      for (int count = 2; taken(target.record.id); ++count) target.record.id = id + "-" + std::to_string(count);
      targets.push_back(std::move(target));
      continue;
    }
    const std::vector<std::size_t> found = matches(devices, selector);
    // The caller advises what to install where no device was asked for and none is there.
    if (found.empty() && !selectors.empty()) {
      throw UsageError("no device matches '" + selector + "'; sonde list shows what there is");
    }
    for (const std::size_t index : found) {
      if (!taken(devices[index].id)) targets.push_back({.record = devices[index]});
    }
  }
  return targets;
}

std::string FoundDevices::why_none(device::Api api) const {
  const auto is_seen = [api](const records::DeviceRecord& device) { return records::through(device, api) != nullptr; };
  const auto problem = problems.find(api);
  return problem == problems.end() || std::ranges::any_of(devices, is_seen) ? "" : problem->second;
}

std::vector<std::pair<const TargetDevice*, device::Api>> SelectedDevices::work() const {
  std::vector<std::pair<const TargetDevice*, device::Api>> work;
  for (const auto& [target, apis] : chosen) {
    for (const device::Api api : apis) {
      if (records::through(target.record, api) != nullptr) work.emplace_back(&target, api);
    }
  }
  return work;
}

std::string SelectedDevices::why_not(device::Api api) const {
  if (std::string none = machine.why_none(api); !none.empty()) return none;
  return "no " + records::spoken_name(api) + " driver shows this device; install the GPU's";
}

SelectedDevices choose(const RunRequest& asked, std::chrono::milliseconds listing_limit) {
  const bool only_models =
      !asked.devices.empty() && std::ranges::all_of(asked.devices, [](const std::string& selector) {
        return selector.starts_with(model_prefix);
      });
  SelectedDevices choice{.machine = only_models ? FoundDevices{} : discover_devices(listing_limit), .chosen = {}};
  if (os::interrupted()) return choice;
  if (!only_models && choice.machine.devices.empty()) refuse(choice.machine);
  std::vector<TargetDevice> targets = select(choice.machine.devices, asked.devices);
  if (asked.devices.empty() && asks_the_cpu(asked)) add_the_cpu(targets, choice.machine.devices);
  for (TargetDevice& target : targets) {
    check_sizes(asked.request, target.record);
    std::vector<device::Api> apis = wanted_apis(asked, target);
    choice.chosen.push_back({std::move(target), std::move(apis)});
  }
  if (!choice.work().empty()) return choice;
  if (are_all_of_the_cpu(asked)) {
    throw UsageError("these probes measure the CPU itself; choose it with --device cpu");
  }
  refuse(choice.machine);
}

}  // namespace sonde::session
