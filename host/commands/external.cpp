#include "commands/external.hpp"

#include "os/file.hpp"
#include "os/process.hpp"
#include "os/this_process.hpp"
#include "session/usage_error.hpp"

namespace sonde::commands {

void run_external(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = "sonde-" + name;
  // A name with a folder would run something elsewhere.
  if (os::path_of(name).filename() == os::path_of(name)) {
    const std::filesystem::path own_folder = os::program_file().parent_path();
    const std::filesystem::path file = os::path_of(program);
    os::become(own_folder / file, arguments);
    // Where an installed program has what is not for the PATH: bin/ and lib/sonde/ move together.
    os::become(own_folder.parent_path() / "lib" / "sonde" / file, arguments);
    os::become(file, arguments);
  }
  throw session::UsageError("there is no command '" + name + "'; sonde --help lists them");
}

}  // namespace sonde::commands
