#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Other programs, and this one started anew.
namespace sonde::os {

/// What this program was started with, its name first, as UTF-8; from what `main` is given.
std::vector<std::string> arguments_of(int count, char** arguments);

/// The file that this program was started from.
std::filesystem::path program_file();

/// Goes on as another program, found in the PATH if its name has no folder; returns only where it cannot be started.
void become(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// For the libraries that this process loads later; a value that is there already stays.
void set_environment_unless_set(const std::string& name, const std::string& value);

/// How a process ended: empty `fault` where it did its work, else "crashed: …" or "ended early with status …".
struct ProcessEnd {
  std::string fault;
};

/// Another process whose two outputs are read while it runs. It is ended and waited for when this object goes.
class Child {
 public:
  /// Starts `program` and gives it `input` to read; throws std::system_error where the system refuses.
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments, std::string_view input);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  struct Pieces {
    std::string output;
    std::string errors;
    bool more = true;  ///< false once the output's other end is closed
  };
  /// What it has written since, after waiting for something at most that long.
  Pieces read(std::chrono::milliseconds longest_wait);
  [[nodiscard]] bool has_ended();
  void end();
  ProcessEnd wait();

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// The other side: this process as somebody's child. Results leave through what was its standard output; what drivers
/// print there goes to standard error from then on. It ends with its parent, and leaves Ctrl-C to it.
class ParentsPipe {
 public:
  ParentsPipe();
  /// All that the parent wrote.
  [[nodiscard]] std::string read_all() const;
  /// Ends this process where the parent is gone.
  void write(std::string_view text) const;
  /// Ends this process at once: a driver's own exit handlers may crash, and everything has been sent.
  [[noreturn]] static void exit(int status);

 private:
  int results_;
};

}  // namespace sonde::os
