#include "session/worker.hpp"

#include <optional>

#include "cpu/device.hpp"
#include "device/listed.hpp"
#include "device/model/model.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "os/driver_files.hpp"
#include "os/library.hpp"
#include "os/this_process.hpp"
#include "records/input_files.hpp"
#include "records/lines.hpp"
#include "session/selection.hpp"

namespace sonde::session {
namespace {

using End = measure::Answer::End;

/// Has the loader see what was chosen of the API's drivers. Returns the name of the only one's library, empty where all
/// are seen.
std::string show(device::Api api, const records::DriverChoice& choice) {
  if (!choice.layers) os::hide_layers(loader_of(api));
  if (choice.file.empty()) return "";
  std::string library = records::driver_library(choice.file);
  os::show_driver_alone(loader_of(api), choice.file, library);
  return library;
}

std::vector<device::DeviceInfo> list_devices(device::Api api) {
  if (api == device::Api::cpu) return {cpu::describe()};
  return api == device::Api::opencl ? device::opencl::list() : device::vulkan::list();
}

/// Throws Error where the loader has no use for a library, which it does not say itself; Unsupported where that is as
/// it should be, as with the drivers for 32-bit programs that stand beside the others.
void check_driver(device::Api api, const os::Library& library) {
  if (!library && library.why_not().ends_with("wrong ELF class: ELFCLASS32"))
    throw device::Unsupported("a driver for 32-bit programs, of no use to this one");
  if (!library) throw device::Error(library.why_not());
  const auto* const entry = api == device::Api::opencl ? "clGetExtensionFunctionAddress" : "vk_icdGetInstanceProcAddr";
  void (*function)() = nullptr;
  library.find(entry, function);
  if (function == nullptr) throw device::Error("this is no driver: its library has no " + std::string(entry));
}

/// The answer's reason says what to install where there is no device, and what was left out.
records::AnswerLine list(const records::ListTask& task, const measure::SendLine& send) {
  try {
    const std::string name = show(task.api, task.driver);
    static std::optional<os::Library> library;  // never unloaded, as a driver's threads may run in it
    if (!name.empty()) library.emplace(name);
    try {
      for (const device::DeviceInfo& info : list_devices(task.api))
        send(records::text_of(records::InfoLine{.info = info, .library = library ? library->file() : ""}));
    } catch (const device::NoDevice& none) {
      if (library) check_driver(task.api, *library);
      if (device::opencl::devices_without_id() > 0) throw device::Error("no device in its list has an id");
      return {.reason = none.what()};
    }
    if (device::opencl::devices_without_id() == 0) return {};
    return {.reason = "one of the devices in its list, or more, has no id and is left out"};
  } catch (const device::Unsupported& reason) {
    return {.end = End::unsupported, .reason = reason.what()};
  } catch (const std::runtime_error& error) {
    return {.end = End::failed, .reason = error.what()};
  }
}

}  // namespace

std::unique_ptr<device::Device> open_device(const records::MeasureTask& task) {
  show(task.api, task.driver);
  switch (task.api) {
    case device::Api::opencl: return device::opencl::open(task.index);
    case device::Api::vulkan: return device::vulkan::open(task.index);
    case device::Api::cpu: return cpu::open();
    case device::Api::model: break;
  }
  device::model::Description model = records::parse_model({.text = task.model, .where = task.device});
  model.noise_stream = task.noise;
  return device::model::open(model);
}

void work(const measure::NextLine& next, const measure::SendLine& send) {
  const auto task = records::parse_task(next().value_or(""));
  if (!task) throw UsageError("sonde worker is started by sonde run and sonde list, which tell it what to do");
  if (const auto* measuring = std::get_if<records::MeasureTask>(&*task)) {
    do_task(*measuring, next, send);
  } else {
    os::drop_capabilities();
    send(records::text_of(list(std::get<records::ListTask>(*task), send)));
  }
}

}  // namespace sonde::session
