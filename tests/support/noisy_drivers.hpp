#pragma once

#include <cstdint>
#include <map>

#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/zero_copy/zero_copy.hpp"
#include "support/copying_device.hpp"
#include "support/recording_observer.hpp"
#include "support/small_model.hpp"

// Drivers that do with shared memory what a finding of zero-copy says.
namespace sonde::test {

inline device::model::Description model_behind_a_driver() {
  device::model::Description model = small_model(1ull << 29);
  model.levels[1].read_gbps = 400;
  model.levels[1].write_gbps = 400;
  return model;
}

/// Drivers by the kind of finding that is right for each.
inline const std::map<const measure::FindingKind*, Sharing>& drivers_by_finding() {
  static const std::map<const measure::FindingKind*, Sharing> drivers{
      {&probes::zero_copy_probe::shared_without_copy, {}},
      {&probes::zero_copy_probe::copies, {.copy_gbps = 12}},
      {&probes::zero_copy_probe::cache_maintenance, {.maintenance_gbps = 120}},
      {&probes::zero_copy_probe::migrates, {.page_us = 12}}};
  return drivers;
}

/// Runs zero-copy on a device, at quick effort.
inline RecordingObserver asked_for_sharing(device::Device& device, std::uint64_t largest_bytes) {
  RecordingObserver observer;
  measure::run_probe(device, probes::zero_copy,
                     {.request = {.look = measure::Look::first, .largest_bytes = largest_bytes},
                      .host_time = [] { return counters::HostTime{}; }},
                     observer);
  return observer;
}

/// Runs it on a driver whose explicit copies move 20 GB/s.
inline RecordingObserver asked_for_sharing(const Sharing& sharing, std::uint64_t largest_bytes) {
  CopyingDevice device(device::model::open(model_behind_a_driver()), sharing, 20);
  return asked_for_sharing(device, largest_bytes);
}

}  // namespace sonde::test
