#include "counters/traffic/event_group.hpp"

#include <optional>
#include <utility>

namespace sonde::counters {
namespace {

class KernelGroup final : public EventGroup {
 public:
  explicit KernelGroup(os::PerfGroup group) : group_(std::move(group)) {}
  std::error_code enable() noexcept override { return group_.enable(); }
  std::error_code disable() noexcept override { return group_.disable(); }
  std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept override {
    return group_.read(values, times);
  }

 private:
  os::PerfGroup group_;
};

}  // namespace

std::unique_ptr<EventGroup> open_event_group(std::span<const os::PerfEvent> events, int cpu, std::error_code& problem) {
  auto group = os::PerfGroup::open(events, cpu, problem);
  return group ? std::make_unique<KernelGroup>(*std::move(group)) : nullptr;
}

}  // namespace sonde::counters
