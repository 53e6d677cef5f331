#include <spdlog/spdlog.h>

#include <iostream>

#include "commands/commands.hpp"
#include "os/file.hpp"
#include "os/this_process.hpp"
#include "probes/catalog.hpp"
#include "records/input_files.hpp"
#include "summary/first_screen.hpp"

namespace sonde::commands {
namespace {

using session::UsageError;

void check_names(std::span<const std::string> probes) {
  for (const std::string& name : probes) {
    if (probes::named(name).empty()) throw UsageError("there is no probe '" + name + "'; sonde run --help lists them");
  }
}

/// The probe that a record belongs to; empty for one that belongs to none.
std::string probe_of(const records::Line& line) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.origin.probe; }) return one.origin.probe;
        return std::string();
      },
      line);
}

/// The lines without those of other probes, where only some are wanted.
std::vector<records::Line> of_probes(std::vector<records::Line> lines, std::span<const std::string> probes) {
  std::erase_if(lines, [probes](const records::Line& line) {
    const std::string probe = probe_of(line);
    return !probes.empty() && !probe.empty() && std::ranges::find(probes, probe) == probes.end();
  });
  return lines;
}

}  // namespace

ExitStatus show_command(const ShowOptions& options) {
  check_names(options.probes);
  if (options.as_json && (options.verbose || !options.probes.empty()))
    throw UsageError("--json prints first screens; leave -v and --probe out, or see sonde report --csv for all tables");
  std::vector<std::vector<records::Line>> of_files;
  for (const std::string& file : options.files) of_files.push_back(lines_of(file));
  for (std::size_t at = 0; at < of_files.size(); ++at) {
    if (options.as_json) {
      for (const records::Screen& screen : summary::screens(of_files[at], options.files[at]))
        std::cout << records::screen_json(screen) << "\n";
      continue;
    }
    if (at > 0) std::cout << "\n";
    if (options.verbose || !options.probes.empty()) {
      if (of_files.size() > 1) std::cout << records::visible(options.files[at]) << "\n";
      std::cout << tables_of(of_probes(std::move(of_files[at]), options.probes));
    } else {
      std::cout << summary::first_screen(of_files[at], first_screen_layout(options.files[at]));
    }
  }
  return ExitStatus::done;
}

std::vector<records::Line> lines_of(const std::string& file) try {
  std::string note;
  std::vector<records::Line> lines = records::read_file(os::path_of(file), note);
  if (!note.empty()) spdlog::warn("{}", note);
  return lines;
} catch (const records::InvalidFile& error) {
  throw UsageError(error.what());
}

std::string tables_of(std::span<const records::Line> lines) {
  std::vector<records::DeviceRecord> devices;
  for (const records::Line& line : lines) {
    if (const auto* device = std::get_if<records::DeviceRecord>(&line)) devices.push_back(*device);
  }
  return summary::summary(devices, lines, {.columns = output_columns(), .colour = os::output_has_colour()});
}

summary::FirstScreenLayout first_screen_layout(const std::string& file) {
  return {.columns = output_columns(), .colour = os::output_has_colour(), .file = records::visible(file)};
}

}  // namespace sonde::commands
