#include "session/plan.hpp"

#include <algorithm>

#include "session/time_text.hpp"

namespace sonde::session {
namespace {

struct Part {
  double seconds = 0;
  double largest_bytes = 0;
};

Part part_of(const measure::Probe& probe, const device::DeviceInfo& device, const measure::Request& request) {
  Part part;
  for (const measure::Point& point : probe.next(device, request, {})) {
    part.seconds += probe.total_to_first_batch_ratio(request.effort) * point.visits * point.expected_seconds;
    part.largest_bytes = std::max(part.largest_bytes, point.x.bytes.value_or(0));
  }
  return part;
}

}  // namespace

std::string plan(std::span<const std::pair<const Target*, device::Api>> work,
                 std::span<const measure::Probe* const> probes, const measure::Request& request,
                 double time_limit_seconds) {
  double seconds = 0;
  bool simulated = false;
  std::string lines;
  for (const auto& [target, api] : work) {
    measure::Request of_device = request;
    of_device.line_bytes = target->record.line_bytes;
    const device::DeviceInfo& info = records::through(target->record, api)->info;
    for (const measure::Probe* probe : probes) {
      if (!measure::is_asked_through(*probe, api) || probe->obstacle(info)) continue;
      const Part part = part_of(*probe, info, of_device);
      simulated = simulated || api == device::Api::model;
      seconds += part.seconds;
      lines += "  " + std::string(probe->name) + " on " + target->record.name;
      if (api == device::Api::opencl || api == device::Api::vulkan) lines += " through " + records::spoken_name(api);
      if (part.largest_bytes > 0) lines += ", up to " + measure::size_text(part.largest_bytes);
      lines += "\n";
    }
  }
  std::string head = "Plan: about " + time_text(seconds);
  if (simulated) head += " where all is real, less where it is simulated";
  if (time_limit_seconds > 0 && time_limit_seconds < seconds) {
    head += ", but --time-limit ends it after " + time_text(time_limit_seconds);
  }
  return head + "\n" + lines;
}

}  // namespace sonde::session
