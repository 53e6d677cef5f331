#include "measure/worker.hpp"

#include <fmt/format.h>

#include <exception>
#include <iostream>

#include "os/process.hpp"
#include "os/this_process.hpp"

namespace sonde::measure {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_ticks{100};

/// The last line of a worker. Without it something in the process, mostly the driver, ended it as if all were well.
constexpr std::string_view all_done = "done";

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

  /// The bytes after the last line's end.
  [[nodiscard]] const std::string& rest() const { return text_; }

 private:
  std::string text_;
};

/// Takes apart the output of a worker.
class Listener {
 public:
  explicit Listener(const WorkerHandlers& handlers) : handlers_(handlers) {}

  void take(const os::Child::Pieces& pieces) {
    if (!pieces.errors.empty()) {
      if (handlers_.diagnostics) handlers_.diagnostics(pieces.errors);
      diagnostics_.add(pieces.errors, [this](std::string_view line) {
        if (!line.empty()) last_line_ = line;
      });
    }
    if (pieces.output.empty()) return;
    heard_ = SteadyClock::now();
    lines_.add(pieces.output, [this](std::string_view line) {
      if (line == all_done) {
        done_ = true;
      } else {
        handlers_.line(line);
      }
    });
  }

  [[nodiscard]] bool done() const { return done_; }

  [[nodiscard]] SteadyClock::duration silence() const { return SteadyClock::now() - heard_; }
  [[nodiscard]] std::string last_words() const {
    return diagnostics_.rest().empty() ? last_line_ : diagnostics_.rest();
  }

 private:
  const WorkerHandlers& handlers_;
  LineBuffer lines_;
  LineBuffer diagnostics_;
  std::string last_line_;
  bool done_ = false;
  SteadyClock::time_point heard_ = SteadyClock::now();
};

/// The way in which a worker that still works has to be ended; `finished` where it may go on.
WorkerEnd::How why_end_it(const Listener& listener, const WorkerLimits& limits, bool interrupted) {
  if (interrupted) return WorkerEnd::How::interrupted;
  if (listener.silence() > limits.silence) return WorkerEnd::How::silent;
  return SteadyClock::now() > limits.end ? WorkerEnd::How::out_of_time : WorkerEnd::How::finished;
}

std::string silence_text(std::chrono::milliseconds limit) {
  return fmt::format(
      "the driver's process reported nothing for {:g} s and was ended; sonde run --silence-limit allows more",
      std::chrono::duration<double>(limit).count());
}

}  // namespace

WorkerEnd run_worker(const WorkerCommand& command, const WorkerHandlers& handlers, const WorkerLimits& limits,
                     const std::atomic<bool>& interrupted) {
  os::Child child(command.program, command.arguments, command.task);
  Listener listener(handlers);
  WorkerEnd end;
  for (bool more = true; more;) {
    // A process that the driver left behind may hold the pipes open for ever, so the worker's own end counts too: its
    // last output is in the pipe then.
    const bool ended = child.has_ended();
    const os::Child::Pieces pieces = child.read(ended ? std::chrono::milliseconds(0) : between_ticks);
    listener.take(pieces);
    more = pieces.more && !(ended && pieces.output.empty() && pieces.errors.empty());
    if (handlers.tick) handlers.tick();
    if (ended || end.how != WorkerEnd::How::finished) continue;  // read what it sent before it was ended
    end.how = why_end_it(listener, limits, interrupted);
    if (end.how != WorkerEnd::How::finished) child.end();
  }
  const std::string fault = child.wait();
  listener.take(child.read(std::chrono::milliseconds(0)));
  end.last_words = listener.last_words();
  if (end.how == WorkerEnd::How::silent) end.reason = silence_text(limits.silence);
  if (end.how == WorkerEnd::How::finished && !(fault.empty() && listener.done())) {
    // Ctrl-C reaches a worker too that has not come to ignore it yet.
    end.how = interrupted ? WorkerEnd::How::interrupted : WorkerEnd::How::crashed;
    if (!interrupted) {
      end.reason = "the driver's process " +
                   (fault.empty() ? "ended before it was done, as if it were; the driver may have ended it" : fault);
    }
  }
  return end;
}

void be_a_worker(const std::function<void(const std::string& task, const SendLine& send)>& work) {
  const os::WorkerChannel pipe;
  int status = 0;
  try {
    // No driver is loaded yet, and so nobody's signal handler cuts the reading short.
    work({std::istreambuf_iterator<char>(std::cin), {}}, [&pipe](const std::string& line) { pipe.write(line + "\n"); });
    pipe.write(std::string(all_done) + "\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 2;
  }
  os::WorkerChannel::exit(status);
}

}  // namespace sonde::measure
