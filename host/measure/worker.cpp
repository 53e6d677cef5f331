#include "measure/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "os/machine.hpp"
#include "os/this_process.hpp"

namespace sonde::measure {
namespace {

using os::RunningClock;

constexpr std::chrono::milliseconds between_ticks{100};
/// A wait that takes so much longer than it was to was one in which this process was stopped: no load delays it so far.
constexpr std::chrono::seconds longest_delay{1};

/// Leaves out of all limits the time since `looked` in which this process was stopped, and looks now.
void leave_out_stops(RunningClock::time_point& looked) {
  const RunningClock::duration passed = RunningClock::now() - looked;
  if (passed > between_ticks + longest_delay) RunningClock::leave_out(passed - between_ticks);
  looked = RunningClock::now();
}

/// The last line of a worker. Without it something in the process, mostly the driver, ended it as if all were well.
constexpr std::string_view all_done = "done";

std::string silence_text(std::chrono::milliseconds limit) {
  return fmt::format("the driver's process reported nothing for {:g} s and was ended; --silence-limit allows more",
                     std::chrono::duration<double>(limit).count());
}

}  // namespace

/// Collects bytes and hands over whole lines.
class LineBuffer {
 public:
  void add(std::string_view bytes) {
    text_.erase(0, std::exchange(begin_, 0));
    text_ += bytes;
  }
  /// The next whole line, valid until more is added; nothing where there is none.
  std::optional<std::string_view> next() {
    const std::size_t end = text_.find('\n', begin_);
    if (end == std::string::npos) return std::nullopt;
    const std::size_t begin = std::exchange(begin_, end + 1);
    return std::string_view(text_).substr(begin, end - begin);
  }
  /// The bytes after the last line's end.
  [[nodiscard]] std::string rest() const { return text_.substr(begin_); }

 private:
  std::string text_;
  std::size_t begin_ = 0;
};

/// Takes apart the output of a worker.
class Worker::Listener {
 public:
  explicit Listener(WorkerHandlers handlers) : handlers_(std::move(handlers)) {}

  void take(const os::Child::Pieces& pieces) {
    if (!pieces.errors.empty()) {
      if (handlers_.diagnostics) handlers_.diagnostics(pieces.errors);
      diagnostics_.add(pieces.errors);
      while (const auto line = diagnostics_.next()) {
        if (!line->empty()) last_line_ = *line;
      }
    }
    if (pieces.output.empty()) return;
    heard_ = RunningClock::now();
    lines_.add(pieces.output);
    while (const auto line = lines_.next()) {
      if (*line == all_done) {
        done_ = true;
      } else {
        handlers_.line(*line);
      }
    }
  }

  void tick() {
    if (handlers_.tick) handlers_.tick();
  }
  /// Silence counts from now on.
  void expect_something() { heard_ = RunningClock::now(); }
  [[nodiscard]] bool done() const { return done_; }

  [[nodiscard]] RunningClock::duration silence() const { return RunningClock::now() - heard_; }
  [[nodiscard]] std::string last_words() const {
    const std::string rest = diagnostics_.rest();
    return rest.empty() ? last_line_ : rest;
  }

 private:
  WorkerHandlers handlers_;
  LineBuffer lines_;
  LineBuffer diagnostics_;
  std::string last_line_;
  bool done_ = false;
  RunningClock::time_point heard_ = RunningClock::now();
};

Worker::Worker(const WorkerCommand& command, WorkerHandlers handlers, std::chrono::milliseconds longest_silence,
               const std::atomic<bool>& interrupted)
    : kills_before_(os::out_of_memory_kills()),
      longest_silence_(longest_silence),
      interrupted_(interrupted),
      listener_(std::make_unique<Listener>(std::move(handlers))),
      child_(command.program, command.arguments) {
  send(command.task);
}

Worker::~Worker() = default;

void Worker::send(const std::string& line) {
  listener_->expect_something();
  child_.write(line + "\n");
}

void Worker::send_no_more() { child_.close_input(); }

bool Worker::wait(const std::function<bool()>& answered, Clock::time_point latest) {
  Clock::time_point looked = Clock::now();
  for (bool more = true; more;) {
    // A process that the driver left behind may hold the pipes open for ever, so the worker's own end counts too: its
    // last output is in the pipe then.
    const bool ended = child_.has_ended();
    const os::Child::Pieces pieces = child_.read(ended ? std::chrono::milliseconds(0) : until_next_tick());
    leave_out_stops(looked);
    listener_->take(pieces);
    if (answered()) return true;
    more = pieces.more && !(ended && pieces.output.empty() && pieces.errors.empty());
    listener_->tick();
    leave_out_stops(looked);
    if (ended || end_.how != WorkerEnd::How::finished) continue;  // read what it sent before it was ended
    if (interrupted_) {
      end_.how = WorkerEnd::How::interrupted;
    } else if (listener_->silence() > longest_silence_) {
      end_.how = WorkerEnd::How::silent;
      end_.reason = silence_text(longest_silence_);
    } else if (Clock::now() > latest) {
      end_.how = WorkerEnd::How::out_of_time;
    }
    if (end_.how != WorkerEnd::How::finished) child_.end();
  }
  const std::string fault = child_.wait();
  listener_->take(child_.read(std::chrono::milliseconds(0)));
  end_.last_words = listener_->last_words();
  if (end_.how == WorkerEnd::How::finished && !(fault.empty() && listener_->done())) {
    // Ctrl-C reaches a worker too that has not come to ignore it yet.
    end_.how = interrupted_ ? WorkerEnd::How::interrupted : WorkerEnd::How::crashed;
    if (!interrupted_ && was_killed_for_memory(fault)) {
      end_.how = WorkerEnd::How::out_of_memory;
      end_.reason =
          "the system ended the driver's process, as memory had run out, the machine's or that of a control group "
          "(a container, a job); close other programs, allow more memory, or measure less (--sizes)";
    } else if (!interrupted_) {
      end_.reason = "the driver's process " +
                    (fault.empty() ? "ended before it was done, as if it were; the driver may have ended it" : fault);
    }
  }
  return false;
}

/// The limit of silence is kept to the millisecond, as several workers may be waited for one after the other.
std::chrono::milliseconds Worker::until_next_tick() const {
  if (end_.how != WorkerEnd::How::finished) return between_ticks;
  const auto patience = std::chrono::ceil<std::chrono::milliseconds>(longest_silence_ - listener_->silence());
  return std::clamp(patience, std::chrono::milliseconds(0), between_ticks);
}

bool Worker::was_killed_for_memory(const std::string& fault) const {
  return fault.find("(signal 9)") != std::string::npos && os::out_of_memory_kills() > kills_before_;
}

WorkerEnd run_worker(const WorkerCommand& command, const WorkerHandlers& handlers,
                     std::chrono::milliseconds longest_silence, const std::atomic<bool>& interrupted) {
  Worker worker(command, handlers, longest_silence, interrupted);
  worker.send_no_more();
  worker.wait([] { return false; });
  return worker.end();
}

void be_a_worker(const std::function<void(const NextLine& next, const SendLine& send)>& work) {
  const os::WorkerChannel pipe;
  LineBuffer lines;
  const auto next = [&]() -> std::optional<std::string> {
    for (;;) {
      if (const auto line = lines.next()) return std::string(*line);
      const std::string bytes = pipe.read();
      if (bytes.empty()) return std::nullopt;
      lines.add(bytes);
    }
  };
  int status = 0;
  try {
    work(next, [&pipe](const std::string& line) { pipe.write(line + "\n"); });
    pipe.write(std::string(all_done) + "\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 2;
  }
  os::WorkerChannel::exit(status);
}

}  // namespace sonde::measure
