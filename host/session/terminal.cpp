#include "session/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sonde::session {
namespace {

/// Empty also where it is not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return value != nullptr ? value : "";
}

}  // namespace

bool is_terminal(int file) { return isatty(file) != 0 && environment("TERM") != "dumb"; }

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool output_has_colour() { return is_terminal(STDOUT_FILENO) && environment("NO_COLOR").empty(); }

}  // namespace sonde::session
