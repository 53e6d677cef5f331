#include "session/duel.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "os/file.hpp"
#include "os/this_process.hpp"
#include "session/progress.hpp"
#include "summary/layout.hpp"

namespace sonde::commands {
namespace {

using session::SelectedDevices;
using session::UsageError;

/// A worker lasts for less time than in a run: what two drivers differ by has to show in many pairs of processes.
constexpr double least_seconds_of_a_worker = 2.5;

/// One side: what it is asked, the devices that its drivers show, and its file's first line.
struct DuelSide {
  RunOptions options;
  session::RunRequest asked;
  session::RunLimits limits;
  SelectedDevices choice;
  records::RunLine record;
};

/// The words by which a side differs from the other.
std::vector<std::string> words_of(const DuelOptions::Side& side, const std::string& name) {
  std::vector<std::string> words = side.settings;
  if (!side.device.empty()) words.push_back("--" + name + "-device " + side.device);
  if (!side.api.empty()) words.push_back("--" + name + "-api " + side.api);
  return words;
}

/// Drivers, and what they heed, are what a duel is about: the processor itself is asked only by name.
session::RunRequest request_of_a_side(const RunOptions& options) {
  session::RunRequest asked = run_request(options);
  if (!asked.probes_by_name) {
    std::erase_if(asked.probes, [](const measure::Probe* probe) { return probe->target == measure::Target::host_cpu; });
  }
  return asked;
}

/// The devices of a side, whose drivers may show others than those of the other side. Throws UsageError.
SelectedDevices choice_of(const session::RunRequest& asked, const RunOptions& options, const std::string& name) try {
  return session::choose(asked, listing_time(options.silence_limit_seconds));
} catch (const UsageError& error) {
  throw UsageError("of " + name + ": " + error.what());
}

DuelSide side_of(const DuelOptions& duel, const DuelOptions::Side& side, const std::string& name) {
  RunOptions options = duel.run;
  if (!side.device.empty()) options.devices = {side.device};
  if (!side.api.empty()) options.api = side.api;
  session::RunLimits limits = run_limits(options);
  limits.least_seconds_of_a_process = least_seconds_of_a_worker;
  limits.environment = side.settings;
  limits.noise = name == "base" ? 0 : 1;
  session::RunRequest asked = request_of_a_side(options);
  records::RunLine record = run_record_of(options.command, options.seed, effort_within(limits.budget_seconds));
  const os::ChangedEnvironment changed(side.settings);
  SelectedDevices choice = choice_of(asked, options, name);
  record.duel = records::DuelSide{.id = {}, .side = name, .settings = words_of(side, name)};
  return {std::move(options), std::move(asked), std::move(limits), std::move(choice), std::move(record)};
}

/// PREFIX-base.jsonl, whether the prefix is the user's or follows from the side that is given.
std::filesystem::path file_of(const DuelSide& side, const std::filesystem::path& prefix) {
  std::filesystem::path file = prefix;
  return file += "-" + side.record.duel->side + ".jsonl";
}

std::vector<std::string> comparison(const DuelOptions& options, const std::filesystem::path& base,
                                    const std::filesystem::path& other) {
  std::vector<std::string> words{base.string(), other.string(),
                                 "--threshold", fmt::format("{}", options.threshold_percent),
                                 "--format",    options.format};
  if (options.run.verbose) words.emplace_back("-v");
  return words;
}

}  // namespace

ExitStatus duel_command(const DuelOptions& options) {
  if (!options.base.api.empty() != !options.other.api.empty()) throw UsageError("--base-api and --new-api go together");
  if (!options.base.device.empty() != !options.other.device.empty())
    throw UsageError("--base-device and --new-device go together");
  os::watch_for_interrupt();
  std::array sides{side_of(options, options.base, "base"), side_of(options, options.other, "new")};
  if (os::interrupted()) return ExitStatus::interrupted;
  sides[0].record.duel->id = sides[0].record.run;
  sides[1].record.duel->id = sides[0].record.run;

  const std::filesystem::path prefix = options.run.out.empty()
                                           ? default_path(sides[0].choice, sides[0].record).replace_extension()
                                           : os::path_of(options.run.out);
  for (const DuelSide& side : sides) refuse_if_there(file_of(side, prefix));
  std::array files{new_record_file(file_of(sides[0], prefix).string(), {}, sides[0].record),
                   new_record_file(file_of(sides[1], prefix).string(), {}, sides[1].record)};
  const auto warn_of = [](const DuelSide& side) {
    warn_of_special_cases(side.options, side.asked.request, side.choice);
  };
  warn_of(sides[0]);
  if (words_of(options.base, "") != words_of(options.other, "")) {
    warn_of(sides[1]);
  } else {
    spdlog::warn("Both sides are the same, so nothing should differ between them.");
  }

  session::Progress progress(options.run.progress && os::is_terminal(os::StandardStream::errors), {});
  session::Run base(sides[0].asked, sides[0].limits, sides[0].record, files[0], progress);
  session::Run other(sides[1].asked, sides[1].limits, sides[1].record, files[1], progress);
  session::Duel duel(base, other,
                     {.budget_seconds = session::budget_of(sides[0].limits.budget_seconds, sides[0].choice),
                      .threshold = std::log1p(options.threshold_percent / 100),
                      .seed = options.run.seed,
                      .has_one_api = !options.base.api.empty()});
  duel.measure(sides[0].choice, sides[1].choice);
  progress.clear();
  for (records::RecordFile& file : files) file.keep();
  std::cerr << summary::wrapped(
      fmt::format("{} pairs in {:.0f} s{}: {} and {}", duel.pairs(), duel.seconds(),
                  duel.knows_all() ? ", after which every verdict was known" : "",
                  records::visible(files[0].path().string()), records::visible(files[1].path().string())),
      message_columns(), 0);
  if (os::interrupted()) {
    spdlog::warn("Interrupted: sonde compare on these two files says what is known.");
    return ExitStatus::interrupted;
  }
  run_external("compare", comparison(options, files[0].path(), files[1].path()));
}

}  // namespace sonde::commands
