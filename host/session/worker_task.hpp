#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "measure/probe.hpp"
#include "measure/worker.hpp"
#include "session/target.hpp"

namespace sonde::session {

/// Everything that one worker process does: one device through one API.
struct WorkerTask {
  Target target;
  gpu::Api api = gpu::Api::opencl;
  std::vector<const measure::Probe*> probes;
  measure::Request request;
  std::chrono::steady_clock::time_point run_start;
  bool spares_a_core = false;              ///< the driver, which is loaded here, is kept off the companion's core
  std::filesystem::path sysfs_root = "/";  ///< of the tree that clocks, temperature and power are read from
};

/// Opens the device, settles its clock and asks every probe's question; all results leave through `send`.
void do_task(const WorkerTask& task, const measure::SendLine& send);

}  // namespace sonde::session
