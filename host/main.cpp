#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "commands/options.hpp"
#include "session/usage_error.hpp"

int main(int count, char** arguments) {
  using namespace sonde::commands;
  using sonde::session::UsageError;
  spdlog::set_default_logger(spdlog::stderr_color_mt("sonde"));
  spdlog::set_pattern("sonde: %v");
  const std::vector<std::string> words(arguments, arguments + count);
  try {
    return static_cast<int>(parse_and_run(words));
  } catch (const UsageError& error) {
    std::cerr << "sonde: " << error.what() << "\n";
    return static_cast<int>(ExitStatus::wrong_request);
  } catch (const std::exception& error) {
    std::cerr << "sonde: " << error.what() << "\n";
    return static_cast<int>(ExitStatus::something_failed);
  }
}
