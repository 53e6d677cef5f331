#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/process.hpp"
#include "os/time.hpp"

namespace sonde::measure {

/// The end of a worker process.
struct WorkerEnd {
  enum class How { finished, crashed, out_of_memory, silent, interrupted, out_of_time };
  How how = How::finished;
  std::string reason;      ///< a sentence for the record; empty when it finished
  std::string last_words;  ///< last line that the driver wrote to standard error; often empty
};

/// The function with which a worker sends one line, without its line feed.
using SendLine = std::function<void(const std::string& line)>;

struct WorkerHandlers {
  std::function<void(std::string_view line)> line;         ///< called for each complete line
  std::function<void()> tick;                              ///< called several times a second
  std::function<void(std::string_view text)> diagnostics;  ///< the driver's text on standard error
};

/// A program that is started as a worker, and the line with its task.
struct WorkerCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::string task;
};

/// A worker process, so that two drivers never share a process and one that crashes or hangs takes only its own worker
/// down. It is ended with this object.
class Worker {
 public:
  using Clock = os::RunningClock;

  /// A worker that sends nothing for `longest_silence` while it is waited for is ended, as it is once `interrupted` is
  /// set. Throws std::system_error where it cannot be started.
  Worker(const WorkerCommand& command, WorkerHandlers handlers, std::chrono::milliseconds longest_silence,
         const std::atomic<bool>& interrupted);
  ~Worker();

  /// Sends one more line, without its line feed.
  void send(const std::string& line);
  /// Tells it that no more lines will come, so that it ends.
  void send_no_more();
  /// Hands over what it sends, until `answered` says after a line that this was what it was waited for, until it has
  /// ended, or has to be: after `latest` too. Complete lines that it sent before its end are still handed over. Whether
  /// it answered.
  bool wait(const std::function<bool()>& answered, Clock::time_point latest = Clock::time_point::max());
  /// How it ended, once wait() found that it did.
  [[nodiscard]] const WorkerEnd& end() const { return end_; }

 private:
  class Listener;

  [[nodiscard]] std::chrono::milliseconds until_next_tick() const;
  [[nodiscard]] bool was_killed_for_memory(const std::string& fault) const;

  WorkerEnd end_;
  std::uint64_t kills_before_;
  std::chrono::milliseconds longest_silence_;
  const std::atomic<bool>& interrupted_;
  std::unique_ptr<Listener> listener_;
  os::Child child_;
};

/// Runs a worker that has a task alone from its start to its end.
WorkerEnd run_worker(const WorkerCommand& command, const WorkerHandlers& handlers,
                     std::chrono::milliseconds longest_silence, const std::atomic<bool>& interrupted);

/// The function with which a worker reads the next line that it is sent, waiting for it; nothing once no more come.
using NextLine = std::function<std::optional<std::string>()>;

/// The other side, in the program that was started: does the work of the lines that it reads, the first of which is its
/// task, and ends this process.
[[noreturn]] void be_a_worker(const std::function<void(const NextLine& next, const SendLine& send)>& work);

}  // namespace sonde::measure
