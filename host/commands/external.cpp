#include "commands/external.hpp"

#include "os/process.hpp"
#include "session/usage_error.hpp"

namespace sonde::commands {

void run_external(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = "sonde-" + name;
  // A name with a slash would run something elsewhere.
  if (name.find('/') == std::string::npos) {
    os::become(os::program_file().parent_path() / program, arguments);
    os::become(program, arguments);
  }
  throw session::UsageError("there is no command '" + name + "'; sonde --help lists them");
}

}  // namespace sonde::commands
