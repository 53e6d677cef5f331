#include "commands/external.hpp"

#include <unistd.h>

#include <filesystem>

#include "session/usage_error.hpp"

namespace sonde::commands {

void run_external(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = "sonde-" + name;
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // A name with a slash would run something elsewhere.
  if (name.find('/') == std::string::npos) {
    std::error_code ignored;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / program;
    execv(beside.c_str(), argv.data());
    execvp(program.c_str(), argv.data());
  }
  throw session::UsageError("there is no command '" + name + "'; sonde --help lists them");
}

}  // namespace sonde::commands
