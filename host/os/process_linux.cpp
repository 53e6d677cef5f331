#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "os/process.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has programs declare it

namespace sonde::os {
namespace {

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// A file descriptor of its own, closed with it.
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

struct Ends {
  Descriptor read;
  Descriptor write;
};

Ends make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// As a pipe, but a child that dies before it has read costs no signal.
Ends make_input() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the child is gone, as its end will tell
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // the parent is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Adds what is there; false at the end of the file.
bool read_some(int file, std::string& text) {
  std::array<char, 65536> bytes;
  const ssize_t count = read(file, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

bool is_closed_at_the_other_end(int pipe) {
  pollfd file{pipe, 0, 0};
  return poll(&file, 1, 0) == 1 && (file.revents & POLLERR) != 0;
}

std::vector<char*> argv_of(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(name.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
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
  const std::string name = program.string();
  const int error = posix_spawn(&id, name.c_str(), &files, nullptr, argv_of(name, arguments).data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + name);
  return id;
}

ProcessEnd end_of(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* description = sigdescr_np(number);  // strsignal's text may be another thread's
    return {std::string("crashed: ") + (description != nullptr ? description : "unknown") + " (signal " +
            std::to_string(number) + ")"};
  }
  if (WEXITSTATUS(status) == 0) return {};
  return {"ended early with status " + std::to_string(WEXITSTATUS(status))};
}

}  // namespace

std::vector<std::string> arguments_of(int count, char** arguments) { return {arguments, arguments + count}; }

std::filesystem::path program_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

void become(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  const std::string name = program.filename().string();
  execvp(program.c_str(), argv_of(name, arguments).data());
}

void set_environment_unless_set(const std::string& name, const std::string& value) {
  setenv(name.c_str(), value.c_str(), 0);  // NOLINT(concurrency-mt-unsafe): before any driver's thread begins
}

struct Child::Handles {
  pid_t id = -1;
  Descriptor output;
  Descriptor errors;
  int status = 0;
  bool ended = false;
};

Child::Child(const std::filesystem::path& program, const std::vector<std::string>& arguments, std::string_view input)
    : handles_(std::make_unique<Handles>()) {
  Ends task = make_input();
  Ends output = make_pipe();
  Ends errors = make_pipe();
  handles_->id = spawn(program, arguments, task.read.get(), output.write.get(), errors.write.get());
  handles_->output = std::move(output.read);
  handles_->errors = std::move(errors.read);
  task.read.close();
  send_all(task.write.get(), input);
}

Child::~Child() {
  if (handles_->ended) return;
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

void Child::end() { kill(handles_->id, SIGKILL); }

ProcessEnd Child::wait() {
  while (!handles_->ended && waitpid(handles_->id, &handles_->status, 0) < 0 && errno == EINTR) {
  }
  handles_->ended = true;
  return end_of(handles_->status);
}

ParentsPipe::ParentsPipe() : results_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_closed_at_the_other_end(results_)) _exit(1);  // the parent was gone before it could be asked for
  // A terminal sends Ctrl-C to every process in front of it; the parent decides what becomes of this one.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_IGN);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

std::string ParentsPipe::read_all() const {
  std::string text;
  while (read_some(STDIN_FILENO, text)) {
  }
  return text;
}

void ParentsPipe::write(std::string_view text) const { write_all(results_, text); }

void ParentsPipe::exit(int status) { _exit(status); }

}  // namespace sonde::os
