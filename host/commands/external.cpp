#include "commands/external.hpp"

#include "os/file.hpp"
#include "os/process.hpp"
#include "session/usage_error.hpp"

namespace sonde::commands {

void run_external(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = "sonde-" + name;
  // A name with a folder would run something elsewhere.
  if (os::path_of(name).filename() == os::path_of(name)) {
    os::become(os::program_file().parent_path() / os::path_of(program), arguments);
    os::become(os::path_of(program), arguments);
  }
  throw session::UsageError("there is no command '" + name + "'; sonde --help lists them");
}

}  // namespace sonde::commands
