#pragma once

#include "measure/worker.hpp"
#include "records/lines.hpp"

namespace sonde::session {

/// Runs a task of listing in a process of its own.
measure::WorkerEnd list_in_a_process(const records::ListTask& task, const measure::WorkerHandlers& handlers,
                                     std::chrono::milliseconds longest_silence);

/// The work of a worker process, by the lines that it reads: a task, then visits. Throws UsageError where it is no
/// task.
void work(const measure::NextLine& next, const measure::SendLine& send);

/// Loads the API's drivers into this process, so only workers call it.
std::unique_ptr<device::Device> open_device(const records::MeasureTask& task);

/// Opens the device, settles its clock, sends its info, and makes the visits that are asked for until there are no
/// more. Where it cannot be opened, the answer says why.
void do_task(const records::MeasureTask& task, const measure::NextLine& next, const measure::SendLine& send);

}  // namespace sonde::session
