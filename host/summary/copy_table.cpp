#include "summary/copy_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/copy/route.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using probes::CopyRoute;
using probes::Direction;
using probes::HostEnd;
using probes::Mover;

/// What the table shows of one way to copy.
struct Copies {
  double gbps = 0;  ///< of large ones; 0 where not known
  std::string gbps_text;
  std::string latency_text;
  bool disturbed = false;
  double largest_bytes = 0;
};
using ByRoute = std::map<CopyRoute, Copies>;

/// "14.5 ± 0.4"; "< 2.1" where it may be nothing at all.
std::string text_of(const measure::Finding& finding) {
  const double value = finding.value.value_or(0);
  if (!finding.low || !finding.high) return three_digits(value);
  if (*finding.low <= 0) return "< " + three_digits(*finding.high);
  return three_digits(value, (*finding.high - *finding.low) / 2);
}

ByRoute by_route(const Results& copy) {
  ByRoute found;
  for (const auto& [series, samples] : copy.samples) {
    const CopyRoute route = probes::route_of(series);
    // Both directions have no line of their own, as what one waits for the other for is not a latency.
    const bool total = !series.contains("counted") || series.at("counted") == "total";
    for (const auto& [bytes, one] : by_size(samples, "GB/s")) {
      Copies& copies = found[route];
      copies.disturbed = copies.disturbed || one->state.disturbed;
      if (route.direction != Direction::both || !total || bytes < copies.largest_bytes) continue;
      copies.largest_bytes = bytes;
      copies.gbps = measure::median_of(*one);
      copies.gbps_text = three_digits(copies.gbps);
    }
  }
  for (const measure::Finding& finding : copy.findings) {
    Copies& copies = found[probes::route_of(finding.series)];
    if (finding.name == "latency") copies.latency_text = text_of(finding);
    if (finding.name != "bandwidth") continue;
    copies.gbps = finding.value.value_or(0);
    copies.gbps_text = text_of(finding);
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.gbps <= 0 || entry.first.beside_kernel; });
  return found;
}

/// GB/s and µs of one way to copy; both empty where it is not known.
std::vector<std::string> cells_of(const ByRoute& found, const CopyRoute& route) {
  const auto copies = found.find(route);
  if (copies == found.end()) return {"", ""};
  return {copies->second.gbps_text + (copies->second.disturbed ? " *" : ""), copies->second.latency_text};
}

std::string engine_name(Mover mover) { return probes::series_of({.mover = mover}).at("engine"); }

std::string between_host_and_device(const ByRoute& found, int columns) {
  Table table({{.head = "engine", .left = true},
               {.head = "host memory", .left = true},
               {.head = "to device"},
               {.head = "µs"},
               {.head = "to host"},
               {.head = "µs"},
               {.head = "both at once"}});
  for (const Mover mover : {Mover::driver, Mover::transfer, Mover::compute_shader}) {
    for (const HostEnd host : {HostEnd::pageable, HostEnd::pinned, HostEnd::imported, HostEnd::map_memcpy}) {
      std::vector<std::string> cells{engine_name(mover), probes::series_of({.host = host}).at("host")};
      bool any = false;
      for (const Direction direction : {Direction::to_device, Direction::to_host, Direction::both}) {
        const CopyRoute route{.mover = mover, .host = host, .direction = direction};
        any = any || found.contains(route);
        std::ranges::move(cells_of(found, route), std::back_inserter(cells));
      }
      cells.pop_back();  // both at once has no latency
      if (any) table.add(cells);
    }
  }
  return table.empty() ? "" : table.text(columns);
}

std::string within_the_device(const ByRoute& found, int columns) {
  Table table({{.head = "engine", .left = true}, {.head = "within the device"}, {.head = "µs"}});
  for (const Mover mover : {Mover::driver, Mover::transfer, Mover::compute_shader}) {
    const CopyRoute within{.mover = mover, .host = HostEnd::none, .direction = Direction::within};
    std::vector<std::string> cells = cells_of(found, within);
    cells.insert(cells.begin(), engine_name(mover));
    if (found.contains(within)) table.add(cells);
  }
  return table.empty() ? "" : "\n" + table.text(columns);
}

}  // namespace

std::string copy_table(const Results& copy, device::Api api, int columns) {
  const ByRoute found = by_route(copy);
  if (found.empty()) return "";
  std::string text =
      heading("Copies", api,
              ": GB/s of large ones, µs that each takes beside its bytes; ± is half of what another run may read",
              columns) +
      between_host_and_device(found, columns) + within_the_device(found, columns);
  for (const measure::Finding& finding : copy.findings) {
    if (finding.name == "engines" || finding.name == "overlaps-compute") text += wrapped(finding.evidence, columns);
  }
  return text;
}

}  // namespace sonde::summary
