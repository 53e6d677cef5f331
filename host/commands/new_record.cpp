#include "commands/new_record.hpp"

#include <exception>

#include "os/file.hpp"
#include "session/host.hpp"
#include "session/usage_error.hpp"
#include "version.hpp"

namespace sonde::commands {

records::RunRecord run_record_of(const std::vector<std::string>& command, std::uint64_t seed,
                                 const std::string& effort) {
  return {.run = session::random_uuid(),
          .time = session::time_now(),
          .version = version,
          .commit = commit,
          .command = command,
          .seed = seed,
          .effort = effort,
          .host = session::describe_host()};
}

records::RecordFile new_record_file(const std::string& out, const std::function<std::filesystem::path()>& default_path,
                                    const records::RunRecord& record) try {
  records::RecordFile file = out.empty() ? records::RecordFile(default_path(), records::IfTaken::number)
                                         : records::RecordFile(os::path_of(out));
  file.append(records::run_line(record));
  return file;
} catch (const std::exception& error) {
  throw session::UsageError(error.what());
}

}  // namespace sonde::commands
