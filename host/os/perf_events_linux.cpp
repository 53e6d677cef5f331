#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "os/perf_events.hpp"

namespace sonde::os {
namespace {

// A read brings the number of events, two times, then a value and an id for each event.
constexpr std::size_t head_words = 3;
constexpr std::size_t words_per_event = 2;

std::error_code last_problem() { return {errno, std::generic_category()}; }

int open_event(const PerfEvent& event, int cpu, int leader) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  // No exclude_* bit is set, as uncore PMUs answer EINVAL to each of them.
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
  if (leader < 0) {
    attributes.disabled = 1;
    attributes.pinned = 1;  // a group that finds no counters fails, instead of being multiplexed
  }
  constexpr pid_t everything = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, everything, cpu, leader, PERF_FLAG_FD_CLOEXEC));
}

class KernelGroup final : public EventGroup {
 public:
  explicit KernelGroup(std::size_t events) : buffer_(head_words + words_per_event * events) {}
  ~KernelGroup() override {
    for (const int file : files_) close(file);
  }

  std::error_code add(const PerfEvent& event, int cpu) {
    const int file = open_event(event, cpu, files_.empty() ? -1 : files_.front());
    if (file < 0) return last_problem();
    files_.push_back(file);
    return ioctl(file, PERF_EVENT_IOC_ID, &ids_.emplace_back()) == 0 ? std::error_code() : last_problem();
  }
  std::error_code enable() noexcept override { return control(PERF_EVENT_IOC_ENABLE); }
  std::error_code disable() noexcept override { return control(PERF_EVENT_IOC_DISABLE); }
  std::error_code read(std::span<std::uint64_t> values, PerfTimes& times) noexcept override {
    const std::size_t wanted = buffer_.size() * sizeof(std::uint64_t);
    ssize_t count = -1;
    do {
      count = ::read(files_.front(), buffer_.data(), wanted);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return last_problem();
    if (count == 0) return std::make_error_code(std::errc::device_or_resource_busy);
    if (static_cast<std::size_t>(count) != wanted) return std::make_error_code(std::errc::io_error);
    times = {.enabled_ns = buffer_[1], .running_ns = buffer_[2]};
    // The kernel writes the leader first and the others in the order in which they joined; the ids confirm it.
    for (std::size_t event = 0; event < ids_.size(); ++event) {
      const std::size_t expected = head_words + words_per_event * event;
      if (buffer_[expected + 1] != ids_[event]) return std::make_error_code(std::errc::io_error);
      values[event] = buffer_[expected];
    }
    return {};
  }

 private:
  [[nodiscard]] std::error_code control(unsigned long request) const {
    return ioctl(files_.front(), request, PERF_IOC_FLAG_GROUP) == 0 ? std::error_code() : last_problem();
  }

  std::vector<int> files_;             ///< the first one is the leader
  std::vector<std::uint64_t> ids_;     ///< the kernel's names of the events
  std::vector<std::uint64_t> buffer_;  ///< what one read brings
};

}  // namespace

std::unique_ptr<EventGroup> open_event_group(std::span<const PerfEvent> events, int cpu, std::error_code& problem) {
  problem.clear();
  auto group = std::make_unique<KernelGroup>(events.size());
  for (const PerfEvent& event : events) {
    problem = group->add(event, cpu);
    if (problem) return nullptr;
  }
  return group;
}

}  // namespace sonde::os
