#include "commands/output.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "os/terminal.hpp"
#include "records/visible.hpp"

namespace sonde::commands {
namespace {

/// The message of a log record, which may name what a driver or a file says.
class VisibleMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& into) override {
    const std::string text = records::visible({message.payload.data(), message.payload.size()});
    into.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<VisibleMessage>(); }
};

/// Where there is no terminal, lines are as long as they get: every table is whole in them.
int columns_of(os::StandardStream stream) {
  constexpr int least = 40;
  constexpr int most = 120;  // longer lines are hard to read
  const int columns = os::terminal_columns(stream);
  return columns > 0 ? std::clamp(columns, least, most) : most;
}

}  // namespace

int output_columns() { return columns_of(os::StandardStream::output); }

int message_columns() { return columns_of(os::StandardStream::errors); }

void start_messages() {
  os::open_standard_streams();
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<VisibleMessage>('*').set_pattern("sonde: %*");
  spdlog::set_default_logger(spdlog::stderr_color_mt("sonde"));
  spdlog::set_formatter(std::move(formatter));
}

ExitStatus after_all_is_said(ExitStatus status) {
  if (std::cout.flush()) return status;
  spdlog::error("standard output cannot be written");
  return status == ExitStatus::done ? ExitStatus::something_failed : status;
}

}  // namespace sonde::commands
