#pragma once

#include "measure/probe.hpp"

namespace sonde::records {

/// The task of listing the devices of an API.
struct ListTask {
  device::Api api = device::Api::opencl;
};

/// The task of measuring one device through one API.
struct MeasureTask {
  device::Api api = device::Api::opencl;
  std::string device;     ///< its id in the record
  std::size_t index = 0;  ///< its place in the API's list
  std::string pci;
  std::string model;  ///< the text of a simulated device's file; empty for a real one
  std::vector<std::string> probes;
  measure::Request request;
  std::chrono::steady_clock::time_point run_start;  ///< a time of the clock that all processes of a machine share
  bool needs_host_core = false;  ///< the driver, which the worker loads, is kept off the companion's core
  bool counts_traffic = false;   ///< traffic is counted beside every probe, not only those that want hit rates
  std::string sysfs_root = "/";  ///< the tree that clocks, temperature and power are read from
};

using Task = std::variant<ListTask, MeasureTask>;

std::string task_text(const Task& task);

/// The task in a text, or nothing where it is none.
std::optional<Task> parse_task(std::string_view text);

}  // namespace sonde::records
