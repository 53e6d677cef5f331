#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "os/process.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has programs declare it

namespace sonde::os {
namespace {

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// A file descriptor that is closed with this object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_ = -1;
};

struct PipeEnds {
  Descriptor read;
  Descriptor write;
};

PipeEnds make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// A socket in place of a pipe: writing to a child that died before it has read raises no signal.
PipeEnds make_input() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the child is gone, as its end will show
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Appends what is there; false at the end of the file.
bool read_some(int file, std::string& text) {
  std::array<char, 65536> bytes;
  const ssize_t count = read(file, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

std::vector<char*> argv_of(const std::string& name, std::span<const std::string> arguments) {
  std::vector<char*> argv{const_cast<char*>(name.c_str())};
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

pid_t spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments, int input, int output,
            int errors) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  pid_t id = -1;
  const std::string& name = program.native();
  // A link such as /proc/self/exe is no name to be listed by.
  std::error_code is_no_link;
  const std::string target = std::filesystem::read_symlink(program, is_no_link);
  const int error =
      posix_spawn(&id, name.c_str(), &files, nullptr, argv_of(is_no_link ? name : target, arguments).data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + name);
  return id;
}

std::string fault_of(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* description = sigdescr_np(number);  // strsignal's text may be another thread's
    return std::string("crashed: ") + (description != nullptr ? description : "unknown") + " (signal " +
           std::to_string(number) + ")";
  }
  if (WEXITSTATUS(status) == 0) return {};
  return "ended early with status " + std::to_string(WEXITSTATUS(status));
}

std::atomic<pid_t> running_command = 0;  ///< 0 before it is started, -1 once it has ended
std::atomic<int> waiting_signal = 0;     ///< came while the command was being started
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

constexpr std::array passed_on_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

void pass_on(int number, siginfo_t* about, void*) {
  const int kept_errno = errno;
  const pid_t command = running_command;
  if (about->si_code != SI_KERNEL) {
    if (command > 0) kill(command, number);
    if (command == 0) waiting_signal = number;
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

void become(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  execvp(program.c_str(), argv_of(program.filename().string(), arguments).data());
}

struct Child::Handles {
  pid_t id = -1;
  Descriptor input;
  Descriptor output;
  Descriptor errors;
  int status = 0;
  bool ended = false;
  bool is_killed = false;
};

Child::Child(const std::filesystem::path& program, const std::vector<std::string>& arguments)
    : handles_(std::make_unique<Handles>()) {
  PipeEnds input = make_input();
  PipeEnds output = make_pipe();
  PipeEnds errors = make_pipe();
  handles_->id = spawn(program, arguments, input.read.get(), output.write.get(), errors.write.get());
  handles_->output = std::move(output.read);
  handles_->errors = std::move(errors.read);
  handles_->input = std::move(input.write);
}

void Child::write(std::string_view text) { send_all(handles_->input.get(), text); }

void Child::close_input() { handles_->input.close(); }

Child::~Child() {
  if (has_ended()) return;
  end();
  wait();
}

Child::Pieces Child::read(std::chrono::milliseconds longest_wait) {
  Pieces pieces;
  // poll ignores a negative descriptor: that of an output that is closed.
  std::array<pollfd, 2> files{{{handles_->output.get(), POLLIN, 0}, {handles_->errors.get(), POLLIN, 0}}};
  if (poll(files.data(), files.size(), static_cast<int>(longest_wait.count())) <= 0) return pieces;
  if (files[1].revents != 0 && !read_some(handles_->errors.get(), pieces.errors)) handles_->errors.close();
  if (files[0].revents != 0 && !read_some(handles_->output.get(), pieces.output)) {
    handles_->output.close();
    pieces.more = false;
  }
  return pieces;
}

bool Child::has_ended() {
  handles_->ended = handles_->ended || waitpid(handles_->id, &handles_->status, WNOHANG) == handles_->id;
  return handles_->ended;
}

void Child::end() {
  kill(handles_->id, SIGKILL);
  handles_->is_killed = true;
}

std::string Child::wait() {
  const auto latest = std::chrono::steady_clock::now() + longest_wait_for_the_ended;
  while (handles_->is_killed && !has_ended()) {
    if (std::chrono::steady_clock::now() > latest) return stays;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (!handles_->ended && waitpid(handles_->id, &handles_->status, 0) < 0 && errno == EINTR) {
  }
  handles_->ended = true;
  return fault_of(handles_->status);
}

Command::Command(const std::vector<std::string>& words) {
  running_command = 0;
  struct sigaction action = {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : passed_on_signals) sigaction(number, &action, nullptr);
  std::vector<char*> argv = argv_of(words.front(), std::span(words).subspan(1));
  const int error = posix_spawnp(&id_, argv.front(), nullptr, nullptr, argv.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + words.front());
  running_command = id_;
  if (const int number = waiting_signal.exchange(0)) kill(id_, number);
}

Command::~Command() {
  while (!status()) {
    int ended = 0;
    if (waitpid(id_, &ended, 0) == id_) status_ = shell_status(ended);
  }
  running_command = -1;
}

std::optional<int> Command::status() {
  int ended = 0;
  if (!status_ && waitpid(id_, &ended, WNOHANG) == id_) {
    running_command = -1;
    status_ = shell_status(ended);
  }
  return status_;
}

}  // namespace sonde::os
