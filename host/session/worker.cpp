#include "session/worker.hpp"

#include "gpu/error.hpp"
#include "os/interrupt.hpp"
#include "os/process.hpp"
#include "probes/catalog.hpp"
#include "records/lines.hpp"
#include "records/model_file.hpp"
#include "records/task.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

measure::WorkerEnd run(const records::Task& task, const measure::WorkerHandlers& handlers,
                       const measure::WorkerLimits& limits) {
  return measure::run_worker({.program = os::program_file(), .arguments = {"worker"}, .task = records::task_text(task)},
                             handlers, limits, os::interrupted());
}

WorkerTask worker_task(gpu::Api api, const records::MeasuringTask& task) {
  WorkerTask own{.target = {},
                 .api = api,
                 .probes = {},
                 .request = task.request,
                 .run_start = task.run_start,
                 .spares_a_core = task.spares_a_core,
                 .sysfs_root = task.sysfs_root};
  own.target.record.id = task.device;
  own.target.record.pci = task.pci;
  const records::ApiDevice device{.info = {}, .index = task.index};
  if (api == gpu::Api::opencl) own.target.record.opencl = device;
  if (api == gpu::Api::vulkan) own.target.record.vulkan = device;
  if (api == gpu::Api::model) own.target.description = records::parse_model({.text = task.model, .where = task.device});
  for (const std::string& name : task.probes) {
    if (const measure::Probe* probe = probes::find(name)) own.probes.push_back(probe);
  }
  return own;
}

void list(gpu::Api api, const measure::SendLine& send) {
  try {
    for (const gpu::DeviceInfo& info : list_devices(api)) send(records::info_line(info));
  } catch (const gpu::Unsupported& reason) {
    send(records::unsupported_line(reason.what()));
  }
}

}  // namespace

measure::WorkerEnd list_in_a_worker(gpu::Api api, const measure::WorkerHandlers& handlers,
                                    const measure::WorkerLimits& limits) {
  return run({.api = api, .measuring = std::nullopt}, handlers, limits);
}

measure::WorkerEnd measure_in_a_worker(const WorkerTask& task, const measure::WorkerHandlers& handlers,
                                       const measure::WorkerLimits& limits) {
  const records::ApiDevice* device = records::through(task.target.record, task.api);
  records::MeasuringTask measuring{.device = task.target.record.id,
                                   .index = device != nullptr ? device->index : 0,
                                   .pci = task.target.record.pci,
                                   .model = task.target.model_text,
                                   .probes = {},
                                   .request = task.request,
                                   .run_start = task.run_start,
                                   .spares_a_core = task.spares_a_core,
                                   .sysfs_root = task.sysfs_root.string()};
  for (const measure::Probe* probe : task.probes) measuring.probes.emplace_back(probe->name);
  return run({.api = task.api, .measuring = measuring}, handlers, limits);
}

void work(const std::string& text, const measure::SendLine& send) {
  const auto task = records::parse_task(text);
  if (!task) throw UsageError("sonde worker is started by sonde run and sonde list, which tell it what to do");
  if (task->measuring) {
    do_task(worker_task(task->api, *task->measuring), send);
  } else {
    list(task->api, send);
  }
}

}  // namespace sonde::session
