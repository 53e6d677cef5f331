#include "session/worker.hpp"

#include "device/error.hpp"
#include "os/this_process.hpp"
#include "records/lines.hpp"
#include "session/selection.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

void list(device::Api api, const measure::SendLine& send) {
  try {
    for (const device::DeviceInfo& info : list_devices(api)) send(records::text_of(records::InfoLine{info}));
  } catch (const device::Unsupported& reason) {
    send(records::text_of(records::UnsupportedLine{reason.what()}));
  }
}

}  // namespace

measure::WorkerEnd work_in_a_process(const records::Task& task, const measure::WorkerHandlers& handlers,
                                     const measure::WorkerLimits& limits) {
  return measure::run_worker({.program = os::program_file(), .arguments = {"worker"}, .task = records::task_text(task)},
                             handlers, limits, os::interrupted());
}

void work(const std::string& text, const measure::SendLine& send) {
  const auto task = records::parse_task(text);
  if (!task) throw UsageError("sonde worker is started by sonde run and sonde list, which tell it what to do");
  if (const auto* measuring = std::get_if<records::MeasureTask>(&*task)) {
    do_task(*measuring, send);
  } else {
    os::drop_capabilities();
    list(std::get<records::ListTask>(*task).api, send);
  }
}

}  // namespace sonde::session
