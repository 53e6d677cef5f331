#pragma once

#include <string>

#include "measure/worker.hpp"
#include "records/task.hpp"

namespace sonde::session {

/// Has a process of its own do the task.
measure::WorkerEnd work_in_a_process(const records::Task& task, const measure::WorkerHandlers& handlers,
                                     const measure::WorkerLimits& limits);

/// What that process does with the text that it reads. Throws UsageError where it is no task.
void work(const std::string& text, const measure::SendLine& send);

}  // namespace sonde::session
