#include "commands/external.hpp"

#include "os/process.hpp"
#include "session/usage_error.hpp"

namespace sonde::commands {

void run_external(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = "sonde-" + name;
  // A name with a slash would run something elsewhere.
  if (name.find('/') == std::string::npos) {
    const std::filesystem::path own_folder = os::program_file().parent_path();
    os::become(own_folder / program, arguments);
    // Where an installed program has what is not for the PATH: bin/ and lib/sonde/ move together.
    os::become(own_folder.parent_path() / "lib" / "sonde" / program, arguments);
    os::become(program, arguments);
  }
  throw session::UsageError("there is no command '" + name + "'; sonde --help lists them");
}

}  // namespace sonde::commands
