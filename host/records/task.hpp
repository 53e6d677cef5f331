#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/probe.hpp"

namespace sonde::records {

/// What a worker process is asked of one device.
struct MeasuringTask {
  std::string device;     ///< its id in the record
  std::size_t index = 0;  ///< its place in the API's list
  std::string pci;
  std::string model;  ///< the text of a simulated device's file; empty for a real one
  std::vector<std::string> probes;
  measure::Request request;
  std::chrono::steady_clock::time_point run_start;  ///< by a clock that all processes of a machine share
  bool spares_a_core = false;
  std::string sysfs_root = "/";
};

/// What a worker process is asked, as it reads it: to list the devices of an API, unless `measuring` says more.
struct Task {
  gpu::Api api = gpu::Api::opencl;
  std::optional<MeasuringTask> measuring;
};

std::string task_text(const Task& task);

/// Nothing where the text is no task.
std::optional<Task> parse_task(std::string_view text);

}  // namespace sonde::records
