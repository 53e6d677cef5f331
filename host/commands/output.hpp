#pragma once

#include "commands/exit_status.hpp"

namespace sonde::commands {

/// Opens standard streams that are closed, and makes every message a line "sonde: ..." on standard error. Before
/// anything else.
void start_messages();

/// Columns for what is printed to standard output, and for messages: the terminal's, within what can be read, or 120
/// where it is none.
int output_columns();
int message_columns();

/// The status of a command whose results all went to standard output. What was said may have gone nowhere: a full disk,
/// a reader that has left.
ExitStatus after_all_is_said(ExitStatus status);

}  // namespace sonde::commands
