#pragma once

#include "measure/worker.hpp"
#include "records/lines.hpp"

namespace sonde::session {

/// Runs the task in a process of its own.
measure::WorkerEnd work_in_a_process(const records::Task& task, const measure::WorkerHandlers& handlers,
                                     const measure::WorkerLimits& limits);

/// The work of that process, by the text of the task that it reads. Throws UsageError where it is no task.
void work(const std::string& text, const measure::SendLine& send);

/// Loads the API's drivers into this process, so only workers call it.
std::unique_ptr<device::Device> open_device(const records::MeasureTask& task);

/// Opens the device, settles its clock and asks every probe's question; all results leave through `send`.
void do_task(const records::MeasureTask& task, const measure::SendLine& send);

}  // namespace sonde::session
