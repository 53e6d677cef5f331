#pragma once

#include "measure/frame.hpp"
#include "measure/measurement.hpp"
#include "measure/workload.hpp"

namespace sonde::measure {

/// How closely a probe looks. A run begins with a first look at everything; what it has time for beyond that are closer
/// looks, each of which adds to the points of the one before.
enum class Look { first, closer, closest };

/// The one of three that stands for a look.
template <typename Value>
constexpr Value by_look(Look look, const Value& first, const Value& closer, const Value& closest) {
  return look == Look::first ? first : look == Look::closer ? closer : closest;
}

/// The user's request, as far as a probe may know it, and how closely the probe looks now.
struct Request {
  Look look = Look::closer;
  std::optional<std::uint64_t> smallest_bytes;
  std::optional<std::uint64_t> largest_bytes;
  std::uint64_t seed = 1;
  std::uint32_t line_bytes = 64;  ///< spacing of lines; one for all APIs of a device, so that curves compare
  /// Spacing of the lines of a walk with one line a page that does not say its own: the smallest page that any GPU or
  /// CPU here uses, so larger pages only hold several of its lines.
  std::uint32_t page_bytes = 4096;
  bool of_cpu = false;                   ///< the device is a CPU, whose pages have `page_bytes`
  std::uint64_t stated_cache_bytes = 0;  ///< the largest cache that the system or a driver states; 0 without any
  /// The cache before memory, and behind the GPU's own, that the system states; 0 without any.
  std::uint64_t stated_memory_side_bytes = 0;
  /// The levels that loads by the vector path showed of the device through the same API; empty where none were found.
  std::vector<FoundLevel> levels_by_latency = {};
  bool counts_traffic = false;          ///< counters see what moves at the fabric and at memory
  Frame frame = {};                     ///< the frame that a probe of frames renders
  std::function<void()> alive = [] {};  ///< prepare() calls it now and then while it works for seconds
  /// Whether a point was asked for before, at this look or another: it may have failed and be in no measurement.
  std::function<bool(const Point& point)> was_asked = [](const Point&) { return false; };
};

/// Whether a working set of so many bytes is within the sizes that the user asked for, or none were.
bool is_asked_for(const Request& request, double bytes);

/// The target of a probe: a device through its driver, or the host processor itself (api `cpu`).
enum class Target { device, host_cpu };

/// Levels that a probe finds: by latency, or the same ones by bandwidth.
enum class LevelsOf { none, latency, bandwidth };

/// A question about memory. Stateless: declarations and functions. Several may share a name in records, each with an id
/// of its own.
struct Probe {
  std::string_view name;
  std::string_view id = name;
  std::string_view question;  ///< one sentence, shown by `list`, the summary and the report
  Target target = Target::device;
  std::span<const Curve* const> curves;
  std::span<const FindingKind* const> finding_kinds;
  /// The option of `run` without which it is not asked; empty where it always is.
  std::string_view needs_option = "";
  /// The reason for which this device cannot be asked; empty when it can.
  std::optional<std::string> (*obstacle)(const device::DeviceInfo& device) = [](const device::DeviceInfo&) {
    return std::optional<std::string>();
  };
  /// The points that the look of `request` wants, by the device's info and the measurements so far. Those that were
  /// asked before may be among them; where all were, the look is done. The most telling come first: a run may end at
  /// any point.
  std::vector<Point> (*next)(const device::DeviceInfo& device, const Request& request,
                             std::span<const Measurement> known);
  Conclusion (*conclude)(const Request& request, std::span<const Measurement> measurements);
  /// Findings from the device's info, alone or against the measurements.
  std::vector<Finding> (*stated)(const device::DeviceInfo& device, std::span<const Measurement> measurements) =
      [](const device::DeviceInfo&, std::span<const Measurement>) { return std::vector<Finding>(); };
  bool needs_host_core = false;  ///< has a thread of its own on the CPU: a CPU device's driver gets the other cores
  LevelsOf levels = LevelsOf::none;
  bool wants_hit_rates = false;  ///< the share that a cache served is a measurement too, where traffic is counted
};

/// Whether a probe is asked through an API at all; a simulated device is asked everything, and answers why not.
bool is_asked_through(const Probe& probe, device::Api api);

/// A value with six significant digits, more than any clock here resolves, as a record keeps it. Conclusions are drawn
/// from such values, so that they are the same from the file.
double six_digits(double value);

/// A size in powers of 1024 with three digits at most: "4 KiB" for 4096.
std::string size_text(double bytes);

/// A time with three digits: "4.5 us", "8.84 ms".
std::string time_text(double nanoseconds);

/// The name of a point for a person: "latency vector 4 KiB".
std::string name_of(const Probe& probe, const Point& point);

}  // namespace sonde::measure
