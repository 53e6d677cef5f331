#pragma once

namespace sonde::os {

/// Opens closed standard streams on nothing. Before anything else is opened, which would take a closed one's place and
/// be written into, or be sent what is meant for nobody.
void open_standard_streams();

enum class Stream { output, errors };

/// Whether this stream is a terminal that may be drawn on.
bool is_terminal(Stream stream);

/// Columns of the terminal that a stream is; 0 where it is none or does not say.
int terminal_columns(Stream stream);

/// Whether standard output may carry colour: a terminal, and NO_COLOR is not set (https://no-color.org).
bool output_has_colour();

}  // namespace sonde::os
