#include <spdlog/spdlog.h>

#include <exception>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "os/this_process.hpp"

int main(int count, char** arguments) {
  using namespace sonde::commands;
  using sonde::session::UsageError;
  start_messages();
  const std::vector<std::string> words = sonde::os::arguments_of(count, arguments);
  try {
    return static_cast<int>(parse_and_run(words));
  } catch (const UsageError& error) {
    spdlog::error("{}", error.what());
    return static_cast<int>(ExitStatus::wrong_request);
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
    return static_cast<int>(ExitStatus::something_failed);
  }
}
