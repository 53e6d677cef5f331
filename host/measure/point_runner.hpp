#pragma once

#include <random>

#include "measure/probe.hpp"
#include "measure/runner.hpp"

namespace sonde::measure {

/// Makes the visits that are asked for, on one device.
class PointRunner {
 public:
  PointRunner(device::Device& device, const RunnerOptions& options, std::function<void()> alive)
      : device_(device), options_(options), alive_(std::move(alive)), random_(options.request.seed) {}

  /// Failures of what helps to measure, but that a point can do without, are told to `tell`, each once.
  void tell_failures(std::function<void(const std::string& what)> tell) { tell_failure_ = std::move(tell); }
  /// Measures, or says why not.
  Answer answer(const Probe& probe, const Visit& visit);

 private:
  /// Throws as the workload does.
  MeasuredPoint measure(const Probe& probe, const Visit& visit);
  std::optional<CoreClock> clock_now();
  void bring_clock_back();

  device::Device& device_;
  const RunnerOptions& options_;
  std::function<void()> alive_;
  std::function<void(const std::string& what)> tell_failure_ = [](const std::string&) {};
  std::mt19937_64 random_;
  bool clock_failed_ = false;
  bool clock_recovery_failed_ = false;
};

}  // namespace sonde::measure
