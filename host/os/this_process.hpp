#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sonde::os {

/// The command line of this program, its name first, as UTF-8; from what `main` is given.
std::vector<std::string> arguments_of(int count, char** arguments);

/// The file that this program was started from.
std::filesystem::path program_file();

/// A path to the file that this process runs, good for starting it again even where another file has taken its name
/// since, as when the program is built or upgraded meanwhile.
std::filesystem::path running_program();

/// Libraries that this process loads later see the value; a value that is there already stays.
void set_environment_unless_set(const std::string& name, const std::string& value);

/// Variables of this process's environment, each NAME=VALUE, until this object goes: processes that are started
/// meanwhile have them.
class ChangedEnvironment {
 public:
  explicit ChangedEnvironment(const std::vector<std::string>& settings);
  ~ChangedEnvironment();
  ChangedEnvironment(const ChangedEnvironment&) = delete;
  ChangedEnvironment& operator=(const ChangedEnvironment&) = delete;

 private:
  /// Names, and the values that they had, the first changed first.
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

/// Whether the user wants this program to stop, by Ctrl-C or because its terminal is gone.
const std::atomic<bool>& interrupted();

/// Has such a wish noted in `interrupted()` from now on, in place of ending the process.
void watch_for_interrupt();

/// Drops the capabilities that the program's file gave to a user who is not root: nothing here needs one, and drivers
/// that are loaded later must not have them. Ends the process where the system refuses.
void drop_capabilities();

/// Drops all but CAP_PERFMON, the right to count, for a command that loads no driver, until its counters are open.
void keep_only_perfmon_capability();

/// Opens closed standard streams on the null device. It has to run before anything else is opened: a file that got a
/// closed stream's number would be written what is meant for the terminal.
void open_standard_streams();

enum class StandardStream { output, errors };

/// Whether this stream is a terminal that may be drawn on.
bool is_terminal(StandardStream stream);

/// The terminal behind a stream; zeros where there is none or it does not tell.
struct TerminalSize {
  int columns = 0;
  int lines = 0;
};
TerminalSize terminal_size(StandardStream stream);

/// Whether standard output may carry colour: a terminal, and NO_COLOR is not set (https://no-color.org).
inline bool output_has_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return is_terminal(StandardStream::output) && (no_colour == nullptr || *no_colour == '\0');
}

/// A worker's end of the pipes to its parent. What it is asked comes through what was standard input, results leave
/// through what was standard output; drivers find nothing to read, and what they print goes to standard error. This
/// process ends with its parent and ignores Ctrl-C, which is the parent's.
class WorkerChannel {
 public:
  WorkerChannel();
  /// The next bytes that the parent sends, waited for; none once there are no more.
  [[nodiscard]] std::string read() const;
  /// Ends this process where the parent is gone.
  void write(std::string_view text) const;
  /// Ends this process at once: a driver's own exit handlers may crash, and everything has been sent.
  [[noreturn]] static void exit(int status);

 private:
  int questions_;  ///< a descriptor
  int results_;    ///< a descriptor
};

}  // namespace sonde::os
