#pragma once

namespace sonde::os {

enum class Stream { output, errors };

/// Whether this stream is a terminal that may be drawn on.
bool is_terminal(Stream stream);

/// Columns of the terminal that a stream is; 0 where it is none or does not say.
int terminal_columns(Stream stream);

/// Whether standard output may carry colour: a terminal, and NO_COLOR is not set (https://no-color.org).
bool output_has_colour();

}  // namespace sonde::os
