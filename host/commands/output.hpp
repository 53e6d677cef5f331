#pragma once

namespace sonde::commands {

/// Columns for what is printed to standard output: the terminal's, within what can be read, or 100 where it is none.
int output_columns();

}  // namespace sonde::commands
