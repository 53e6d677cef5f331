#pragma once

#include "measure/worker.hpp"
#include "os/driver_files.hpp"
#include "records/lines.hpp"

namespace sonde::session {

/// The work of a worker process, by the lines that it reads: a task, then visits. Throws UsageError where it is no
/// task.
void work(const measure::NextLine& next, const measure::SendLine& send);

/// The loader through which an API's drivers are reached.
inline os::Loader loader_of(device::Api api) {
  return api == device::Api::opencl ? os::Loader::opencl : os::Loader::vulkan;
}

/// Loads the API's drivers into this process, those of them that the task shows, so only workers call it.
std::unique_ptr<device::Device> open_device(const records::MeasureTask& task);

/// Opens the device, settles its clock, sends its info, and makes the visits that are asked for until there are no
/// more. Where it cannot be opened, the answer says why.
void do_task(const records::MeasureTask& task, const measure::NextLine& next, const measure::SendLine& send);

}  // namespace sonde::session
