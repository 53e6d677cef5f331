#include "commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "device/driver_clock.hpp"
#include "probes/catalog.hpp"
#include "summary/layout.hpp"
#include "summary/summary.hpp"

namespace sonde::commands {
namespace {

using records::ApiDevice;
using records::DeviceRecord;

std::vector<records::Applicability> answers(const DeviceRecord& device, const session::FoundDevices& machine) {
  std::vector<records::Applicability> all;
  for (const measure::Probe* probe : probes::catalog()) {
    for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu}) {
      if (!measure::is_asked_through(*probe, api) || !probe->needs_option.empty()) continue;
      const ApiDevice* through_api = records::through(device, api);
      std::string answer = "yes";
      if (through_api != nullptr && api == device::Api::vulkan && through_api->info.timer_step_ns <= 0) {
        answer = device::no_timestamps;
      } else if (through_api != nullptr) {
        answer = probe->obstacle(through_api->info).value_or("yes");
      } else {
        answer = machine.why_none(api);
        if (answer.empty() && api == device::Api::cpu) answer = "asked of device cpu alone";
        if (answer.empty()) answer = "no " + records::spoken_name(api) + " driver shows this device";
      }
      all.push_back({std::string(probe->name), records::api_name(api), answer});
    }
  }
  return all;
}

/// A table of probes by APIs. Each reason for a "no" is printed once, under its number.
std::string probes_by_api(const std::vector<records::Applicability>& all, int columns) {
  constexpr std::array apis{device::Api::opencl, device::Api::vulkan, device::Api::cpu};
  std::vector<summary::Column> heads{{.head = "probe", .left = true}};
  for (const device::Api api : apis) heads.push_back({.head = records::spoken_name(api), .left = true});
  summary::TextTable table(heads);
  std::vector<std::string> reasons;
  for (const measure::Probe* probe : probes::catalog()) {
    if (probe->id != probe->name) continue;
    std::vector<std::string> cells{std::string(probe->name)};
    for (const device::Api api : apis) {
      const auto one = std::ranges::find_if(all, [&](const records::Applicability& answer) {
        return answer.probe == probe->name && answer.api == records::api_name(api);
      });
      cells.emplace_back(one == all.end() ? "" : one->answer);
      if (cells.back().empty() || cells.back() == "yes") continue;
      auto reason = std::ranges::find(reasons, cells.back());
      if (reason == reasons.end()) reason = reasons.insert(reasons.end(), cells.back());
      cells.back() = fmt::format("no ({})", reason - reasons.begin() + 1);
    }
    table.add(cells);
  }
  std::string text = table.text(columns);
  for (std::size_t number = 0; number < reasons.size(); ++number)
    text += summary::wrapped(fmt::format("({}) {}", number + 1, reasons[number]), columns);
  return text;
}

void print(const DeviceRecord& device, std::size_t index, const std::vector<records::Applicability>& probes,
           int columns) {
  std::cout << (index > 0 ? "\n" : "")
            << summary::wrapped(fmt::format("{}  {}  ({})", index, device.name, records::type_name(device.type)),
                                columns, 0);
  std::string facts = "id " + device.id;
  if (device.memory_bytes != 0) facts += ", memory " + measure::size_text(static_cast<double>(device.memory_bytes));
  if (device.compute_units != 0) facts += fmt::format(", {} compute units", device.compute_units);
  if (!device.uuid.empty()) facts += ", uuid " + device.uuid;
  std::cout << summary::wrapped(facts, columns);
  if (!device.stated_caches.empty()) {
    std::cout << summary::wrapped("stated caches: " + summary::sizes_by_source(device.stated_caches), columns);
  }
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) {
    const ApiDevice* one = records::through(device, api);
    if (one == nullptr) continue;
    std::cout << summary::wrapped(fmt::format("{}: {}, driver {}, {}", records::spoken_name(api), one->info.platform,
                                              one->info.driver_version, one->info.api_version),
                                  columns);
  }
  for (const ApiDevice& driver : device.further) {
    std::cout << summary::wrapped(
        fmt::format("{} {} shows it too, but is not measured; hide the other driver to measure this one",
                    driver.info.platform, driver.info.driver_version),
        columns);
  }
  std::cout << "\n" << probes_by_api(probes, columns);
}

std::string outcome_of(const session::ListedDriver& driver) {
  if (!driver.failure.empty()) return driver.failure;
  if (!driver.repeats.empty()) return "the driver of " + driver.repeats + " once more";
  // What to install is said where nothing shows a device.
  if (driver.devices.empty()) return driver.is_sound || driver.remark.empty() ? "no device here" : driver.remark;
  return fmt::format("{} {}", driver.devices.size(), driver.devices.size() == 1 ? "device" : "devices");
}

void print(const std::vector<session::ListedDriver>& drivers, int columns) {
  std::cout << "\ndrivers\n";
  for (const session::ListedDriver& driver : drivers) {
    if (driver.api == device::Api::cpu) continue;
    std::string text =
        fmt::format("{}: {}: {}", records::spoken_name(driver.api), spoken_file(driver), outcome_of(driver));
    if (!driver.library.empty()) text += ", by " + driver.library;
    if (!driver.with_layers.empty()) text += "; with layers: " + driver.with_layers;
    std::cout << summary::wrapped(records::visible(text), columns);
    if (!driver.printed.empty())
      std::cout << summary::wrapped("it printed: " + records::visible(driver.printed), columns);
  }
}

}  // namespace

ExitStatus list_command(bool as_json, bool verbose, std::optional<double> silence_limit_seconds) {
  const session::FoundDevices machine = session::discover_devices(listing_time(silence_limit_seconds));
  session::warn_of_problems(machine);
  if (as_json) {
    std::vector<std::string> devices;
    for (const DeviceRecord& device : machine.devices)
      devices.push_back("\n" + records::listed_device_json(device, answers(device, machine)));
    std::cout << fmt::format("[{}\n]\n", fmt::join(devices, ","));
    return ExitStatus::done;
  }
  const int columns = output_columns();
  for (std::size_t index = 0; index < machine.devices.size(); ++index) {
    const DeviceRecord& device = machine.devices[index];
    print(device, index, answers(device, machine), columns);
  }
  if (machine.devices.empty()) std::cout << "No device found.\n";
  if (verbose) print(machine.drivers, columns);
  summary::TextTable questions({{.head = "probe", .left = true}, {.head = "what it answers", .left = true}});
  for (const measure::Probe* probe : probes::catalog()) {
    if (probe->id == probe->name) questions.add({std::string(probe->name), std::string(probe->question)});
  }
  std::cout << "\n" << questions.text(columns);
  return ExitStatus::done;
}

}  // namespace sonde::commands
