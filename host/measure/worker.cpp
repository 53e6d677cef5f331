#include "measure/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <system_error>

namespace sonde::measure {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int tick_milliseconds = 100;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // the parent is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void be_the_child(const std::function<void(const SendLine&)>& work, int lines, int diagnostics,
                               pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before the request above was made
  // A terminal sends Ctrl-C to every process in front of it; the parent decides what becomes of this one.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_IGN);
  // Drivers write to both; results go through the pipe alone.
  dup2(diagnostics, STDOUT_FILENO);
  dup2(diagnostics, STDERR_FILENO);
  int status = 0;
  try {
    work([lines](const std::string& line) { write_all(lines, line + "\n"); });
  } catch (const std::exception& error) {
    const std::string text = std::string(error.what()) + "\n";
    write_all(diagnostics, text);
    status = 1;
  }
  // Not exit(): a driver's own exit handlers may crash, and everything has been sent.
  _exit(status);
}

/// Collects bytes and hands over whole lines.
class LineBuffer {
 public:
  void add(std::string_view bytes, const std::function<void(std::string_view)>& take) {
    text_ += bytes;
    std::size_t start = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', start)) {
      take(std::string_view(text_).substr(start, end - start));
      start = end + 1;
    }
    text_.erase(0, start);
  }

  /// What came after the last line's end.
  const std::string& rest() const { return text_; }

 private:
  std::string text_;
};

/// Reads what is there; false at the end of the file.
bool read_some(int file, const std::function<void(std::string_view)>& take) {
  std::array<char, 65536> bytes;
  const ssize_t count = read(file, bytes.data(), bytes.size());
  if (count > 0) take({bytes.data(), static_cast<std::size_t>(count)});
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Ended and waited for however the parent leaves: a disk that is full is told by an exception.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (ended_) return;
    end();
    wait();
  }

  void end() const { kill(id_, SIGKILL); }
  /// Whether it has ended, without waiting.
  bool ended() {
    ended_ = ended_ || waitpid(id_, &status_, WNOHANG) == id_;
    return ended_;
  }
  int wait() {
    while (!ended_ && waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    return status_;
  }

 private:
  pid_t id_;
  int status_ = 0;
  bool ended_ = false;
};

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* description = sigdescr_np(number);  // strsignal's text may be another thread's
    return std::string("the driver's process crashed: ") + (description != nullptr ? description : "unknown") +
           " (signal " + std::to_string(number) + ")";
  }
  return "the driver's process ended early with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

WorkerEnd run_worker(const std::function<void(const SendLine&)>& work, const WorkerHandlers& handlers,
                     const WorkerLimits& limits, const std::atomic<bool>& interrupted) {
  Pipe lines;
  Pipe diagnostics;
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (id == 0) be_the_child(work, lines.write_end, diagnostics.write_end, parent);
  Child child(id);
  Pipe::close_end(lines.write_end);
  Pipe::close_end(diagnostics.write_end);

  WorkerEnd end;
  LineBuffer line_buffer;
  LineBuffer diagnostic_lines;
  const auto take_lines = [&](std::string_view bytes) { line_buffer.add(bytes, handlers.line); };
  const auto take_diagnostics = [&](std::string_view bytes) {
    if (handlers.diagnostics) handlers.diagnostics(bytes);
    diagnostic_lines.add(bytes, [&](std::string_view line) {
      if (!line.empty()) end.last_words = line;
    });
  };
  SteadyClock::time_point heard = SteadyClock::now();
  bool ended_by_us = false;
  const auto end_child = [&](WorkerEnd::How how) {
    end.how = how;
    ended_by_us = true;
    child.end();
  };

  for (bool open = true; open;) {
    // A process that the driver left behind may hold the pipes open for ever, so the child's own end counts too:
    // what it wrote before it ended is in the pipe then.
    const bool ended = child.ended();
    std::array<pollfd, 2> files{{{lines.read_end, POLLIN, 0}, {diagnostics.read_end, POLLIN, 0}}};
    const int ready = poll(files.data(), files.size(), ended ? 0 : tick_milliseconds);
    if (ended && ready == 0) break;
    if (files[1].revents != 0 && !read_some(diagnostics.read_end, take_diagnostics)) {
      Pipe::close_end(diagnostics.read_end);  // poll ignores a negative descriptor
    }
    if (files[0].revents != 0) {
      heard = SteadyClock::now();
      open = read_some(lines.read_end, take_lines);
    }
    if (handlers.tick) handlers.tick();
    if (ended_by_us || ended) continue;  // drain what it sent before it was ended
    if (interrupted) {
      end_child(WorkerEnd::How::interrupted);
    } else if (SteadyClock::now() - heard > limits.silence) {
      end_child(WorkerEnd::How::silent);
    } else if (SteadyClock::now() > limits.end) {
      end_child(WorkerEnd::How::out_of_time);
    }
  }
  const int status = child.wait();
  if (diagnostics.read_end >= 0) {
    // What it wrote last may still be in the pipe; a grandchild may hold the other end open, so do not wait.
    fcntl(diagnostics.read_end, F_SETFL, O_NONBLOCK);
    read_some(diagnostics.read_end, take_diagnostics);
  }
  if (!diagnostic_lines.rest().empty()) end.last_words = diagnostic_lines.rest();
  if (end.how == WorkerEnd::How::silent) {
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%g", std::chrono::duration<double>(limits.silence).count());
    end.reason = std::string("the driver's process reported nothing for ") + seconds.data() +
                 " s and was ended; --silence-limit allows more";
  } else if (end.how == WorkerEnd::How::finished && status != 0) {
    end.how = WorkerEnd::How::crashed;
    end.reason = describe_end(status);
  }
  return end;
}

}  // namespace sonde::measure
