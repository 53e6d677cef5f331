#pragma once

#include <atomic>
#include <string>

#include "measure/worker.hpp"
#include "session/worker_task.hpp"

namespace sonde::session {

/// Has a process of its own list the devices of an API.
measure::WorkerEnd list_in_a_worker(gpu::Api api, const measure::WorkerHandlers& handlers,
                                    const measure::WorkerLimits& limits);

/// Has a process of its own measure a device.
measure::WorkerEnd measure_in_a_worker(const WorkerTask& task, const measure::WorkerHandlers& handlers,
                                       const measure::WorkerLimits& limits);

/// What that process does with the text that it reads. Throws UsageError where it is no task.
void work(const std::string& text, const measure::SendLine& send);

}  // namespace sonde::session
