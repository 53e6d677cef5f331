#include "session/selection.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "device/model/model.hpp"
#include "os/file.hpp"
#include "records/invalid_file.hpp"
#include "records/model_file.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

using records::DeviceRecord;

constexpr std::string_view model_prefix = "model:";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

bool is_gpu(const DeviceRecord& device) { return device.type != device::DeviceType::cpu; }

Target model_target(const std::string& name) {
  const bool is_file = name.ends_with(".json") || name.find('/') != std::string::npos;
  Target target;
  device::DeviceInfo info;
  try {
    const records::ModelText model =
        is_file ? records::read_model_text(os::path_of(name)) : records::built_in_model_text(name);
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
  target.record.model = records::ApiDevice{info, 0};
  return target;
}

/// Indices of the devices that one selector names.
std::vector<std::size_t> matches(const std::vector<DeviceRecord>& devices, const std::string& selector) {
  const std::string wanted = lower(selector);
  const auto all_that = [&](const std::function<bool(const DeviceRecord&)>& claim) {
    std::vector<std::size_t> found;
    for (std::size_t index = 0; index < devices.size(); ++index) {
      if (claim(devices[index])) found.push_back(index);
    }
    return found;
  };
  if (wanted == "all") return all_that([](const DeviceRecord&) { return true; });
  if (wanted == "gpu") return all_that(is_gpu);
  if (wanted == "cpu") return all_that([](const DeviceRecord& device) { return !is_gpu(device); });
  if (!wanted.empty() && std::ranges::all_of(wanted, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
      wanted.size() < 6) {
    const std::size_t index = std::stoul(wanted);
    if (index < devices.size()) return {index};  // else it may be part of a name: "4090"
  }
  auto exact = all_that([&](const DeviceRecord& device) {
    return lower(device.id) == wanted || (!device.pci.empty() && lower(device.pci) == wanted) ||
           (!device.uuid.empty() && device.uuid == without_dashes(wanted));
  });
  if (!exact.empty() || wanted.empty()) return exact;
  return all_that([&](const DeviceRecord& device) { return lower(device.name).find(wanted) != std::string::npos; });
}

}  // namespace

std::vector<Target> select(const std::vector<DeviceRecord>& devices, const std::vector<std::string>& selectors) {
  std::vector<std::string> wanted = selectors;
  if (wanted.empty()) wanted = {std::ranges::any_of(devices, is_gpu) ? "gpu" : "cpu"};
  std::vector<Target> targets;
  std::set<std::string> models;  // files of one name in different folders are different devices
  const auto taken = [&targets](const std::string& id) {
    return std::ranges::any_of(targets, [&](const Target& one) { return one.record.id == id; });
  };
  const auto add_once = [&](Target target) {
    if (!taken(target.record.id)) targets.push_back(std::move(target));
  };
  for (const std::string& selector : wanted) {
    if (selector.starts_with(model_prefix)) {
      if (!models.insert(selector).second) continue;
      Target target = model_target(selector.substr(model_prefix.size()));
      const std::string id = target.record.id;
      for (int count = 2; taken(target.record.id); ++count) target.record.id = id + "-" + std::to_string(count);
      targets.push_back(std::move(target));
      continue;
    }
    const std::vector<std::size_t> found = matches(devices, selector);
    // Asked for nothing in particular and found nothing: the caller says what to install.
    if (found.empty() && !selectors.empty()) {
      throw UsageError("no device matches '" + selector + "'; sonde list shows what there is");
    }
    for (const std::size_t index : found) add_once({.record = devices[index]});
  }
  return targets;
}

}  // namespace sonde::session
