#include "probes/copy/route.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sonde::probes {
namespace {

constexpr std::array movers{std::pair{Mover::driver, "driver"}, std::pair{Mover::transfer, "transfer"},
                            std::pair{Mover::compute_shader, "compute-shader"}};
constexpr std::array hosts{std::pair{HostEnd::pageable, "pageable"}, std::pair{HostEnd::pinned, "pinned"},
                           std::pair{HostEnd::imported, "imported"}, std::pair{HostEnd::map_memcpy, "map-memcpy"}};
constexpr std::array directions{std::pair{Direction::to_device, "to-device"}, std::pair{Direction::to_host, "to-host"},
                                std::pair{Direction::both, "both"}, std::pair{Direction::within, "within"}};

template <typename Words, typename Value>
std::string word_of(const Words& words, Value value) {
  for (const auto& [one, word] : words) {
    if (one == value) return word;
  }
  throw std::logic_error("a way to copy without a name");
}

template <typename Words>
auto value_of(const Words& words, const std::map<std::string, std::string>& series, const std::string& key) {
  const auto said = series.find(key);
  if (said == series.end()) return words.front().first;
  for (const auto& [value, word] : words) {
    if (said->second == word) return value;
  }
  throw std::logic_error("no " + key + " is called " + said->second);
}

}  // namespace

std::map<std::string, std::string> series_of(const CopyRoute& route) {
  std::map<std::string, std::string> series{{"engine", word_of(movers, route.mover)},
                                            {"direction", word_of(directions, route.direction)}};
  if (route.host != HostEnd::none) series["host"] = word_of(hosts, route.host);
  if (route.direction == Direction::both) series["counted"] = "total";
  if (route.beside_kernel) series["fabric"] = "loaded";
  return series;
}

CopyRoute route_of(const std::map<std::string, std::string>& series) {
  CopyRoute route;
  route.mover = value_of(movers, series, "engine");
  route.direction = value_of(directions, series, "direction");
  route.host = route.direction == Direction::within ? HostEnd::none : value_of(hosts, series, "host");
  route.beside_kernel = series.contains("fabric") && series.at("fabric") == "loaded";
  return route;
}

std::string phrase_of(const CopyRoute& route) {
  if (route.direction == Direction::within) return "within the device";
  const std::string memory =
      route.host == HostEnd::map_memcpy ? "mapped memory" : word_of(hosts, route.host) + " memory";
  if (route.direction == Direction::both) return "between " + memory + " and the device, both ways at once";
  return route.direction == Direction::to_device ? "from " + memory + " to the device" : "from the device to " + memory;
}

std::optional<device::CopyEngine> engine_of(Mover mover) {
  switch (mover) {
    case Mover::driver: return device::CopyEngine::driver;
    case Mover::transfer: return device::CopyEngine::transfer;
    case Mover::compute_shader: break;
  }
  return std::nullopt;
}

std::optional<device::HostKind> kind_of(HostEnd host) {
  switch (host) {
    case HostEnd::pageable: return device::HostKind::pageable;
    case HostEnd::pinned: return device::HostKind::pinned;
    case HostEnd::imported: return device::HostKind::imported;
    case HostEnd::map_memcpy:
    case HostEnd::none: break;
  }
  return std::nullopt;
}

}  // namespace sonde::probes
