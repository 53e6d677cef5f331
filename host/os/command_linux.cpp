#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "os/command.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has programs declare it

namespace sonde::os {
namespace {

std::atomic<pid_t> running = 0;  ///< 0 before it is started, -1 once it has ended
std::atomic<int> waiting = 0;    ///< a signal that came while the command was being started
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

void pass_on(int number, siginfo_t* about, void*) {
  const int kept_errno = errno;
  const pid_t command = running;
  if (about->si_code != SI_KERNEL) {
    if (command > 0) kill(command, number);
    if (command == 0) waiting = number;
  }
  errno = kept_errno;
}

bool may_be_run(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return may_be_run(name);
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  std::string_view folders = path != nullptr ? path : "/bin:/usr/bin";
  while (!name.empty()) {
    const std::size_t colon = folders.find(':');
    if (may_be_run(std::filesystem::path(folders.substr(0, colon)) / name)) return true;
    if (colon == std::string_view::npos) return false;
    folders.remove_prefix(colon + 1);
  }
  return false;
}

void yield_to_others() {
  constexpr int least_urgent = 19;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), least_urgent);  // of this thread alone, on Linux
}

Command::Command(const std::vector<std::string>& words) {
  running = 0;
  struct sigaction action = {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : passed_on) sigaction(number, &action, nullptr);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&id_, arguments.front(), nullptr, nullptr, arguments.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + words.front());
  running = id_;
  if (const int number = waiting.exchange(0)) kill(id_, number);
}

Command::~Command() {
  while (!status()) {
    int ended = 0;
    if (waitpid(id_, &ended, 0) == id_) status_ = shell_status(ended);
  }
  running = -1;
}

std::optional<int> Command::status() {
  int ended = 0;
  if (!status_ && waitpid(id_, &ended, WNOHANG) == id_) {
    running = -1;
    status_ = shell_status(ended);
  }
  return status_;
}

}  // namespace sonde::os
