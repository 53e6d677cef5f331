#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sonde::os {

/// Whether a name is a program's: a path to one, or one that the PATH has.
bool is_program(const std::string& name);

/// From now on the calling thread runs in what time others leave, such as a command that it started.
void yield_to_others();

/// A user's program beside this one, with the same streams and terminal. Signals that somebody sends this process alone
/// are passed on to it while it runs; what a terminal sends reaches both without that. One at a time.
class Command {
 public:
  /// Starts it; throws std::system_error where the system refuses.
  explicit Command(const std::vector<std::string>& words);
  /// Waits for its end.
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Its status as a shell says it, 128 and the signal's number where one ended it; nothing while it runs.
  std::optional<int> status();

 private:
  int id_ = -1;
  std::optional<int> status_;
};

}  // namespace sonde::os
