#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cmath>

#include "commands/commands.hpp"
#include "os/file.hpp"
#include "probes/catalog.hpp"
#include "probes/split_locks/split_locks.hpp"
#include "records/input_files.hpp"

namespace sonde::commands {
namespace {

/// The probes that are asked; `allowed` has the given options among those without which some probes are not asked.
std::vector<const measure::Probe*> wanted_probes(const std::vector<std::string>& names,
                                                 const std::vector<std::string>& allowed) {
  std::vector<const measure::Probe*> probes;
  for (const std::string& name : names) {
    const std::vector<const measure::Probe*> named = probes::named(name);
    if (named.empty()) throw session::UsageError("there is no probe '" + name + "'; sonde list shows them");
    for (const measure::Probe* probe : named) {
      if (std::ranges::find(probes, probe) == probes.end()) probes.push_back(probe);
    }
  }
  if (names.empty()) probes.assign(probes::catalog().begin(), probes::catalog().end());
  std::erase_if(probes, [&](const measure::Probe* probe) {
    return !probe->needs_option.empty() && std::ranges::find(allowed, probe->needs_option) == allowed.end();
  });
  return probes;
}

/// The frame that is rendered; throws session::UsageError where the file is wrong, or given for nothing.
measure::Frame wanted_frame(const RunOptions& options) {
  if (options.frame.empty()) return records::parse_frame(records::built_in_frame_text());
  const bool is_asked = options.probes.empty() || std::ranges::find(options.probes, "frames") != options.probes.end();
  if (!is_asked) throw session::UsageError("--frame is for the probe frames, which --probe leaves out");
  try {
    return records::parse_frame(records::read_json_text(os::path_of(options.frame), "frame"));
  } catch (const records::InvalidFile& error) {
    throw session::UsageError(error.what());
  }
}

/// The budgets that have names, the shortest first.
struct Effort {
  std::string_view name;
  double seconds;
};
constexpr std::array efforts{Effort{"quick", 60}, Effort{"normal", 300}, Effort{"thorough", 1800}};

/// The time rounded up, as no time at all means no limit.
std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

/// The seconds that an effort stands for, or those that were asked for.
double budget_seconds(const RunOptions& options) {
  if (options.time_seconds > 0) return options.time_seconds;
  return std::ranges::find(efforts, options.effort, &Effort::name)->seconds;
}

/// "OpenCL, Vulkan and native code": the APIs that the chosen devices are measured through.
std::string api_names(const session::SelectedDevices& choice) {
  std::vector<std::string> names;
  for (const auto& [target, api] : choice.work()) {
    if (std::ranges::find(names, records::spoken_name(api)) == names.end()) names.push_back(records::spoken_name(api));
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace

session::RunRequest run_request(const RunOptions& options) {
  session::RunRequest asked{.devices = options.devices,
                            .api = options.api,
                            .probes = wanted_probes(options.probes, options.allowed),
                            .probes_by_name = !options.probes.empty(),
                            .request = {.seed = options.seed, .frame = wanted_frame(options)}};
  for (const std::string& option : options.allowed) {
    const auto* const probe = *std::ranges::find(probes::catalog(), option, &measure::Probe::needs_option);
    if (std::ranges::find(asked.probes, probe) == asked.probes.end())
      throw session::UsageError(fmt::format("--{} is for the probe {}, which --probe leaves out", option, probe->name));
  }
  if (!options.sizes.empty()) {
    const auto [least, most] = parse_size_range(options.sizes);
    asked.request.smallest_bytes = least;
    asked.request.largest_bytes = most;
  }
  return asked;
}

std::chrono::milliseconds listing_time(std::optional<double> silence_limit_seconds) {
  return silence_limit_seconds ? milliseconds(*silence_limit_seconds) : session::usual_listing_time;
}

session::RunLimits run_limits(const RunOptions& options) {
  constexpr double usual_silence_limit_seconds = 30;
  return {.budget_seconds = budget_seconds(options),
          .silence = milliseconds(options.silence_limit_seconds.value_or(usual_silence_limit_seconds)),
          .whole_run = milliseconds(options.time_limit_seconds),
          .counts_traffic = options.counters,
          .sysfs_root = options.sysfs_root,
          .shows_diagnostics = options.verbose};
}

std::string effort_within(double seconds) {
  const auto longer = std::ranges::find_if(efforts, [seconds](const Effort& one) { return one.seconds > seconds; });
  return std::string(longer == efforts.begin() ? longer->name : std::prev(longer)->name);
}

void warn_of_special_cases(const RunOptions& options, const measure::Request& request,
                           const session::SelectedDevices& choice) {
  session::warn_of_problems(choice.machine);
  const bool no_gpu = std::ranges::none_of(choice.machine.devices, [](const records::DeviceRecord& device) {
    return device.type != device::DeviceType::cpu;
  });
  if (options.devices.empty() && no_gpu && !choice.work().empty()) {
    spdlog::warn("No GPU found: the CPU is measured instead, by {}, so the curves show its caches.", api_names(choice));
  }
  if (!options.allowed.empty()) spdlog::warn("{}", probes::split_lock_notice(cpu::split_lock_rule()));
  for (const auto& [target, apis] : choice.chosen) {
    if (target.record.type == device::DeviceType::model)
      spdlog::warn("{} is simulated: its results are no measurement.", target.record.name);
    const std::uint64_t line_bytes = std::max(1u, target.record.line_bytes);
    if (request.smallest_bytes.value_or(0) % line_bytes != 0 || request.largest_bytes.value_or(0) % line_bytes != 0) {
      spdlog::warn("Working sets are whole lines of {} B on {}: what --sizes {} names between them is rounded.",
                   line_bytes, target.record.name, options.sizes);
    }
  }
}

}  // namespace sonde::commands
