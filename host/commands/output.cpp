#include "commands/commands.hpp"

#include <fmt/chrono.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>
#include <random>

#include "os/file.hpp"
#include "os/this_process.hpp"
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
  const int columns = os::terminal_size(stream).columns;
  return columns > 0 ? std::clamp(columns, least, most) : most;
}

/// A random UUID (RFC 4122, version 4).
std::string random_uuid() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{random(), random(), random(), random()};
  words[1] = (words[1] & 0xFFFF0FFFu) | 0x00004000u;
  words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFFu,
                     words[2] >> 16, words[2] & 0xFFFFu, words[3]);
}

/// A text as a part of a file name: signs that a shell or a file system could mind become dashes.
std::string file_word(const std::string& text, std::size_t longest) {
  std::string word = session::dashed(text, "._").substr(0, longest);
  word.erase(word.find_last_not_of('-') + 1);
  return word;
}

std::string driver_word(const session::TargetDevice& target, std::span<const device::Api> apis) {
  std::string word;
  for (const device::Api one : apis) {
    const records::ApiDevice* device = records::through(target.record, one);
    if (device == nullptr) continue;
    const std::string version = file_word(device->info.driver_version, 16);
    if (version.empty() || version == word) continue;  // both APIs of one driver package
    word += (word.empty() ? "" : "+") + version;
  }
  return word.empty() ? "simulated" : word;
}

/// The file of a run on this machine, whose name has the time as "20261120T232100Z".
std::filesystem::path in_results(const records::RunLine& run, const std::string& what) {
  std::string time = run.time;
  std::erase_if(time, [](char sign) { return sign == '-' || sign == ':'; });
  std::error_code problem;
  std::filesystem::create_directories("results", problem);
  if (problem)
    throw session::UsageError("cannot make the folder results: " + problem.message() + "; choose a file with --out");
  return std::filesystem::path("results") / (file_word(run.host.name, 30) + "-" + what + "-" + time + ".jsonl");
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
  return {.run = random_uuid(),
          .time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())),
          .version = version,
          .commit = commit,
          .command = command,
          .seed = seed,
          .effort = effort,
          .host = session::describe_host()};
}

std::filesystem::path default_path(const session::SelectedDevices& choice, const records::RunLine& run) {
  const auto& [target, apis] = choice.chosen.front();
  const std::string device = choice.chosen.size() > 1 ? std::to_string(choice.chosen.size()) + "-devices"
                             : target.record.type == device::DeviceType::cpu ? "cpu"
                                                                             : file_word(target.record.name, 40);
  return in_results(run, device + "-" + driver_word(target, apis));
}

std::filesystem::path default_watch_path(const std::string& source, const records::RunLine& run) {
  return in_results(run, "watch-" + file_word(source, 40));
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

void refuse_if_there(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored)))
    throw session::UsageError(records::already_there(file));
}

void finish_record_file(records::RecordFile& file) {
  file.keep();
  std::cout << "\nRecord: " << records::visible(file.path().string()) << "\n" << std::flush;
}

}  // namespace sonde::commands
