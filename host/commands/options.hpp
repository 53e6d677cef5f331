#pragma once

#include "commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace sonde::commands {

/// Each adds a command's options to its parser, which writes what the user typed into `options`.
void add_run_options(CLI::App& run, RunOptions& options);
void add_levels_options(CLI::App& levels, LevelsOptions& options);
void add_watch_options(CLI::App& watch, WatchOptions& options);

}  // namespace sonde::commands
