#pragma once

#include "measure/probe.hpp"
#include "records/lines.hpp"
#include "session/drivers.hpp"

namespace sonde::session {

/// The request or an input file was wrong; one clear sentence for the user. The program ends with status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The devices of this machine.
struct FoundDevices {
  std::vector<records::DeviceRecord> devices;
  std::map<device::Api, std::string> problems;  ///< of each API of which a driver failed or no device is seen
  std::vector<ListedDriver> drivers;            ///< that were asked for devices, and the processor itself

  /// The reason for which no device is seen through an API; empty where one is, whatever other drivers of it say.
  [[nodiscard]] std::string why_none(device::Api api) const;
};

/// `limit` is for all drivers together, which are asked side by side.
FoundDevices discover_devices(std::chrono::milliseconds limit);

/// This machine, from uname, /etc/os-release and /proc.
records::HostRecord describe_host();

/// The text with dashes for all signs but letters, digits and `plain_signs`; none at its ends, nor two in a row.
std::string dashed(const std::string& text, std::string_view plain_signs);

/// Logs a warning for each API that lacks devices, and of what there is too much.
void warn_of_problems(const FoundDevices& machine);

/// One record for each piece of hardware: matched by UUID, then by PCI address; CPU devices are all the host's.
std::vector<records::DeviceRecord> merge(const std::vector<records::ApiDevice>& seen);

/// A device that was chosen for a run.
struct TargetDevice {
  records::DeviceRecord record;
  std::string model_text = {};  ///< the text that describes a simulated one
  bool beside_gpus = false;     ///< the CPU of a run that is about GPUs: asked of itself, not through drivers
};

/// The devices that the selectors name (index, part of the name, UUID, PCI address, cpu, gpu, all, model:NAME,
/// model:FILE.json), each once; without selectors every GPU, or the CPU where there is none. Throws UsageError.
std::vector<TargetDevice> select(const std::vector<records::DeviceRecord>& devices,
                                 const std::vector<std::string>& selectors);

/// The text with small letters for those of ASCII.
std::string lower(std::string text);

/// A run as the user asked for it.
struct RunRequest {
  std::vector<std::string> devices;  ///< selectors; empty for the devices that there are
  std::string api = "all";
  std::vector<const measure::Probe*> probes;
  bool probes_by_name = false;
  measure::Request request;
};

/// Devices, and for each the APIs through which it is asked; a device may be missing in some of them.
struct SelectedDevices {
  struct Chosen {
    TargetDevice target;
    std::vector<device::Api> apis;
  };
  FoundDevices machine;  ///< empty where only simulated devices are asked for
  std::vector<Chosen> chosen;

  /// The pairs of a device and an API that will be measured.
  [[nodiscard]] std::vector<std::pair<const TargetDevice*, device::Api>> work() const;
  /// The reason, for a person, for which a device cannot be asked through an API.
  [[nodiscard]] std::string why_not(device::Api api) const;
};

/// Looks for devices, for `listing_limit` at most, and takes those that are meant. Throws UsageError where
/// there is nothing to measure, or a size is not the device's.
SelectedDevices choose(const RunRequest& asked, std::chrono::milliseconds listing_limit);

}  // namespace sonde::session
