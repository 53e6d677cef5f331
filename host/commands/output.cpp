#include "commands/output.hpp"

#include <algorithm>

#include "os/terminal.hpp"

namespace sonde::commands {

int output_columns() {
  constexpr int least = 40;
  constexpr int most = 120;  // longer lines are hard to read
  const int columns = os::terminal_columns(os::Stream::output);
  return columns > 0 ? std::clamp(columns, least, most) : 100;
}

}  // namespace sonde::commands
