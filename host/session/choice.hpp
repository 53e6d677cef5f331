#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "measure/probe.hpp"
#include "session/devices.hpp"
#include "session/target.hpp"

namespace sonde::session {

/// What a user asked a run for.
struct RunRequest {
  std::vector<std::string> devices;  ///< selectors; none for what there is
  std::string api = "all";
  std::vector<const measure::Probe*> probes;
  bool probes_by_name = false;
  measure::Request request;
};

/// Devices, and for each the APIs through which it is asked; a device may be missing in some of them.
struct SelectedDevices {
  struct Chosen {
    Target target;
    std::vector<device::Api> apis;
  };
  Machine machine;  ///< empty where only simulated devices are asked for
  std::vector<Chosen> chosen;

  /// What will be measured.
  [[nodiscard]] std::vector<std::pair<const Target*, device::Api>> work() const;
  [[nodiscard]] std::vector<Target> targets() const;
  /// Why a device cannot be asked through an API, for a person.
  [[nodiscard]] std::string why_not(device::Api api) const;
};

/// Looks for devices, each API's for `silence_limit` at most, and takes those that are meant. Throws UsageError where
/// there is nothing to measure, or a size is not the device's.
SelectedDevices choose(const RunRequest& asked, std::chrono::milliseconds silence_limit);

}  // namespace sonde::session
