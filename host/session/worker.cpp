#include "session/worker.hpp"

#include "cpu/device.hpp"
#include "device/model/model.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "os/this_process.hpp"
#include "records/input_files.hpp"
#include "records/lines.hpp"
#include "session/selection.hpp"

namespace sonde::session {
namespace {

std::vector<device::DeviceInfo> list_devices(device::Api api) {
  if (api == device::Api::cpu) return {cpu::describe()};
  return api == device::Api::opencl ? device::opencl::list() : device::vulkan::list();
}

void list(device::Api api, const measure::SendLine& send) {
  try {
    for (const device::DeviceInfo& info : list_devices(api)) send(records::text_of(records::InfoLine{info}));
  } catch (const device::Unsupported& reason) {
    send(records::text_of(records::UnsupportedLine{reason.what()}));
  }
}

}  // namespace

std::unique_ptr<device::Device> open_device(const records::MeasureTask& task) {
  switch (task.api) {
    case device::Api::opencl: return device::opencl::open(task.index);
    case device::Api::vulkan: return device::vulkan::open(task.index);
    case device::Api::cpu: return cpu::open();
    case device::Api::model: break;
  }
  return device::model::open(records::parse_model({.text = task.model, .where = task.device}));
}

measure::WorkerEnd list_in_a_process(const records::ListTask& task, const measure::WorkerHandlers& handlers,
                                     std::chrono::milliseconds longest_silence) {
  return measure::run_worker(
      {.program = os::running_program(), .arguments = {"worker"}, .task = records::task_text(task)}, handlers,
      longest_silence, os::interrupted());
}

void work(const measure::NextLine& next, const measure::SendLine& send) {
  const auto task = records::parse_task(next().value_or(""));
  if (!task) throw UsageError("sonde worker is started by sonde run and sonde list, which tell it what to do");
  if (const auto* measuring = std::get_if<records::MeasureTask>(&*task)) {
    do_task(*measuring, next, send);
  } else {
    os::drop_capabilities();
    list(std::get<records::ListTask>(*task).api, send);
  }
}

}  // namespace sonde::session
