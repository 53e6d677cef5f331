#include "os/perf_events.hpp"

namespace sonde::os {

std::unique_ptr<EventGroup> open_event_group(std::span<const PerfEvent>, int, std::error_code& problem) {
  problem = std::make_error_code(std::errc::function_not_supported);  // Windows has no such events
  return nullptr;
}

}  // namespace sonde::os
