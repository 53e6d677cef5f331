#pragma once

#include <string>

namespace sonde::session {

/// Whether this file descriptor is a terminal that may be drawn on.
bool is_terminal(int file);

/// Columns of the terminal on standard error; 80 where it does not say.
int terminal_columns();

/// Whether standard output may carry colour: a terminal, and NO_COLOR is not set (https://no-color.org).
bool output_has_colour();

}  // namespace sonde::session
