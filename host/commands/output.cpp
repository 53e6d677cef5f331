#include "commands/output.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>

#include "os/file.hpp"
#include "os/this_process.hpp"
#include "records/device_record.hpp"
#include "session/host.hpp"
#include "session/usage_error.hpp"
#include "summary/layout.hpp"
#include "version.hpp"

namespace sonde::commands {
namespace {

/// The message of a log record, which may quote a driver or a file.
class VisibleMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& into) override {
    const std::string text = records::visible({message.payload.data(), message.payload.size()});
    into.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<VisibleMessage>(); }
};

/// The columns of the terminal. Without one, lines are as long as they get, and every table is whole in them.
int columns_of(os::StandardStream stream) {
  constexpr int least = 40;
  constexpr int most = 120;  // longer lines are hard to read
  const int columns = os::terminal_columns(stream);
  return columns > 0 ? std::clamp(columns, least, most) : most;
}

}  // namespace

int output_columns() { return columns_of(os::StandardStream::output); }

void print_paragraph(const std::string& text) { std::cout << summary::wrapped(text, output_columns()); }

int message_columns() { return columns_of(os::StandardStream::errors); }

void start_messages() {
  os::open_standard_streams();
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<VisibleMessage>('*').set_pattern("sonde: %*");
  spdlog::set_default_logger(spdlog::stderr_color_mt("sonde"));
  spdlog::set_formatter(std::move(formatter));
}

ExitStatus status_after_output(ExitStatus status) {
  if (std::cout.flush()) return status;
  spdlog::error("standard output cannot be written");
  return status == ExitStatus::done ? ExitStatus::something_failed : status;
}

records::RunLine run_record_of(const std::vector<std::string>& command, std::uint64_t seed, const std::string& effort) {
  return {.run = session::random_uuid(),
          .time = session::time_now(),
          .version = version,
          .commit = commit,
          .command = command,
          .seed = seed,
          .effort = effort,
          .host = session::describe_host()};
}

records::RecordFile new_record_file(const std::string& out, const std::function<std::filesystem::path()>& default_path,
                                    const records::RunLine& record) try {
  records::RecordFile file = out.empty() ? records::RecordFile(default_path(), records::IfTaken::number)
                                         : records::RecordFile(os::path_of(out));
  file.append(records::text_of(record));
  return file;
} catch (const std::exception& error) {
  throw session::UsageError(error.what());
}

void finish_record_file(records::RecordFile& file) {
  file.keep();
  std::cout << "\nRecord: " << file.path().string() << "\n" << std::flush;
}

}  // namespace sonde::commands
