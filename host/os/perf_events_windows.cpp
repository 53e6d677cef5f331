#include "os/perf_events.hpp"

// Windows has no such events: opening a group always fails, so that the other functions are never called.
namespace sonde::os {
namespace {

std::error_code none() { return std::make_error_code(std::errc::function_not_supported); }

}  // namespace

std::optional<PerfGroup> PerfGroup::open(std::span<const PerfEvent>, int, std::error_code& problem) {
  problem = none();
  return std::nullopt;
}

PerfGroup::~PerfGroup() = default;

std::error_code PerfGroup::enable() { return none(); }

std::error_code PerfGroup::disable() { return none(); }

std::error_code PerfGroup::read(std::span<std::uint64_t>, PerfTimes&) noexcept { return none(); }

}  // namespace sonde::os
