#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::os {

/// Whether a name can be started: a path to a program, or the name of one in the PATH.
bool is_program(const std::string& name);

/// Replaces this program by another, found in the PATH if its name has no folder; returns only where it cannot be
/// started.
void become(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// Another process that is written to, and whose two outputs are read, while it runs. It is ended and waited for when
/// this object goes.
class Child {
 public:
  /// Starts `program`; throws std::system_error where the system refuses.
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Gives it text to read. Where it has ended, nothing happens.
  void write(std::string_view text);
  /// Tells it that there is no more to read.
  void close_input();

  struct Pieces {
    std::string output;
    std::string errors;
    bool more = true;  ///< false once the output's other end is closed
  };
  /// What it has written since the last call, after waiting for something at most that long.
  Pieces read(std::chrono::milliseconds longest_wait);
  [[nodiscard]] bool has_ended();
  void end();
  /// Waits for its end: empty where it did its work, else "crashed: …" or "ended early with status …". One that was
  /// ended is waited for no longer than a few seconds, as a driver may hold it in the kernel for ever.
  std::string wait();

 private:
  static constexpr std::chrono::seconds longest_wait_for_the_ended{5};
  static constexpr const char* stays = "does not end, though it was killed: its driver holds it in the kernel";

  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// A user's program that runs beside this one, with the same streams and terminal; one at a time. Signals that are sent
/// to this process alone are passed on to it; what a terminal sends reaches both anyway.
class Command {
 public:
  /// Throws std::system_error where the system refuses to start it.
  explicit Command(const std::vector<std::string>& words);
  /// Waits for its end.
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Its exit status as a shell has it, 128 plus the signal's number where one ended it; nothing while it runs.
  std::optional<int> status();

 private:
  int id_ = -1;
  std::optional<int> status_;
};

}  // namespace sonde::os
