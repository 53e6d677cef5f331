#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "os/this_process.hpp"

namespace sonde::os {
namespace {

std::atomic<bool> was_interrupted_by_user = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void note_interrupt(int) { was_interrupted_by_user = true; }

using Capabilities = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

__user_cap_header_struct capability_header() { return {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0}; }

/// The system call is made directly, as the C library has no function for it and libcap would be one more library.
void have_only(const Capabilities& capabilities) {
  __user_cap_header_struct header = capability_header();
  if (syscall(SYS_capset, &header, capabilities.data()) == 0) return;
  std::perror("sonde: capabilities cannot be given up");
  std::abort();
}

bool is_closed_at_the_other_end(int pipe) {
  pollfd file{pipe, 0, 0};
  return poll(&file, 1, 0) == 1 && (file.revents & POLLERR) != 0;
}

constexpr const char* own_program = "/proc/self/exe";

/// The name by which this program was started, for where /proc is hidden.
std::filesystem::path started_name() {
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  std::error_code ignored;
  return name != nullptr ? std::filesystem::absolute(name, ignored) : std::filesystem::path();
}

int descriptor_of(StandardStream stream) { return stream == StandardStream::output ? STDOUT_FILENO : STDERR_FILENO; }

}  // namespace

std::vector<std::string> arguments_of(int count, char** arguments) { return {arguments, arguments + count}; }

std::filesystem::path program_file() {
  std::error_code is_hidden;
  const std::filesystem::path file = std::filesystem::read_symlink(own_program, is_hidden);
  return is_hidden ? started_name() : file;
}

std::filesystem::path running_program() {
  std::error_code ignored;
  return std::filesystem::exists(own_program, ignored) ? own_program : started_name();
}

void set_environment_unless_set(const std::string& name, const std::string& value) {
  setenv(name.c_str(), value.c_str(), 0);  // NOLINT(concurrency-mt-unsafe): before any driver's thread begins
}

// NOLINTBEGIN(concurrency-mt-unsafe): no thread of the session reads its environment
ChangedEnvironment::ChangedEnvironment(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const char* const value = std::getenv(name.c_str());
    before_.emplace_back(name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
    setenv(name.c_str(), setting.substr(equals + 1).c_str(), 1);
  }
}

ChangedEnvironment::~ChangedEnvironment() {
  for (auto one = before_.rbegin(); one != before_.rend(); ++one) {
    if (one->second) {
      setenv(one->first.c_str(), one->second->c_str(), 1);
    } else {
      unsetenv(one->first.c_str());
    }
  }
}
// NOLINTEND(concurrency-mt-unsafe)

const std::atomic<bool>& interrupted() { return was_interrupted_by_user; }

void watch_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // Whoever started this program has had it ignore a signal on purpose: nohup, or a shell for a job behind a script.
    struct sigaction before = {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

void drop_capabilities() {
  if (geteuid() == 0) return;  // root's are the user's own, and some systems let only root reach a device
  have_only({});
}

void keep_only_perfmon_capability() {
  if (geteuid() == 0) return;
  __user_cap_header_struct header = capability_header();
  Capabilities held{};
  if (syscall(SYS_capget, &header, held.data()) != 0) return have_only({});
  Capabilities kept{};
  constexpr unsigned bits = 32;
  const std::uint32_t right = 1u << (CAP_PERFMON % bits);
  kept[CAP_PERFMON / bits].permitted = held[CAP_PERFMON / bits].permitted & right;
  kept[CAP_PERFMON / bits].effective = kept[CAP_PERFMON / bits].permitted;
  have_only(kept);
}

void open_standard_streams() {
  // The system gives the lowest free number, so that all three are open once a higher one comes.
  int descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor >= 0) close(descriptor);
}

bool is_terminal(StandardStream stream) {
  const char* const kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return isatty(descriptor_of(stream)) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

TerminalSize terminal_size(StandardStream stream) {
  winsize size{};
  if (ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0) return {};
  return {.columns = size.ws_col, .lines = size.ws_row};
}

WorkerChannel::WorkerChannel()
    : questions_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
      results_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, program_file().filename().c_str());    // it was started by a link's name
  if (is_closed_at_the_other_end(STDOUT_FILENO)) _exit(1);  // the parent was gone before the signal was asked for
  // A terminal sends Ctrl-C to every process in front of it; the parent decides what becomes of this one.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_IGN);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
}

std::string WorkerChannel::read() const {
  std::string bytes(65536, '\0');
  ssize_t count = -1;
  do {
    count = ::read(questions_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);  // a driver may have signal handlers
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return bytes;
}

void WorkerChannel::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(results_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;  // a driver may have signal handlers
    if (written <= 0) _exit(1);                   // the parent is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void WorkerChannel::exit(int status) { _exit(status); }

}  // namespace sonde::os
