#pragma once

namespace sonde::os {

/// Opens closed standard streams on the null device. It has to run before anything else is opened: a file that got a
/// closed stream's number would be written what is meant for the terminal.
void open_standard_streams();

enum class StandardStream { output, errors };

/// Whether this stream is a terminal that may be drawn on.
bool is_terminal(StandardStream stream);

/// Columns of the terminal behind a stream; 0 where there is none or it does not tell.
int terminal_columns(StandardStream stream);

/// Whether standard output may carry colour: a terminal, and NO_COLOR is not set (https://no-color.org).
bool output_has_colour();

}  // namespace sonde::os
