#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "os/terminal.hpp"

namespace sonde::os {
namespace {

/// Empty also where the variable is not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return value != nullptr ? value : "";
}

int descriptor_of(StandardStream stream) { return stream == StandardStream::output ? STDOUT_FILENO : STDERR_FILENO; }

}  // namespace

void open_standard_streams() {
  // The system gives the lowest free number, so that all three are open once a higher one comes.
  int descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor >= 0) close(descriptor);
}

bool is_terminal(StandardStream stream) { return isatty(descriptor_of(stream)) != 0 && environment("TERM") != "dumb"; }

int terminal_columns(StandardStream stream) {
  winsize size{};
  return ioctl(descriptor_of(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool output_has_colour() { return is_terminal(StandardStream::output) && environment("NO_COLOR").empty(); }

}  // namespace sonde::os
