#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sonde::cli {

bool is_terminal(int file) {
  const char* kind = std::getenv("TERM");
  return isatty(file) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool output_has_colour() {
  const char* refused = std::getenv("NO_COLOR");
  return is_terminal(STDOUT_FILENO) && (refused == nullptr || *refused == '\0');
}

}  // namespace sonde::cli
