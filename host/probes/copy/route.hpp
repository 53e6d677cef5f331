#pragma once

#include <map>
#include <optional>
#include <string>

#include "device/copy_engines.hpp"

namespace sonde::probes {

enum class Mover { driver, transfer, compute_shader };
/// Memory of the host as the series name it; `none` for copies within the device.
enum class HostEnd { pageable, pinned, imported, map_memcpy, none };
enum class Direction { to_device, to_host, both, within };

/// One way to copy, which is one curve.
struct CopyRoute {
  Mover mover = Mover::driver;
  HostEnd host = HostEnd::pageable;
  Direction direction = Direction::to_device;
  bool beside_kernel = false;

  friend auto operator<=>(const CopyRoute&, const CopyRoute&) = default;
};

/// The words of a record file that name a route, and back. What is counted is `total` where both directions move.
std::map<std::string, std::string> series_of(const CopyRoute& route);
CopyRoute route_of(const std::map<std::string, std::string>& series);

/// "pinned memory to the device": as a sentence names it.
std::string phrase_of(const CopyRoute& route);

/// Which the interface to devices knows; empty for what is no copy of the API's.
std::optional<device::CopyEngine> engine_of(Mover mover);
std::optional<device::HostKind> kind_of(HostEnd host);

}  // namespace sonde::probes
