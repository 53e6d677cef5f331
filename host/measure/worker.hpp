#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::measure {

/// The end of a worker process.
struct WorkerEnd {
  enum class How { finished, crashed, silent, interrupted, out_of_time };
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

struct WorkerLimits {
  std::chrono::milliseconds silence{30000};
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  /// A silence limit alone, in any unit.
  template <typename Number, typename Unit>
  WorkerLimits(std::chrono::duration<Number, Unit> longest_silence)
      : silence(std::chrono::duration_cast<std::chrono::milliseconds>(longest_silence)) {}
  WorkerLimits(std::chrono::milliseconds longest_silence, std::chrono::steady_clock::time_point latest_end)
      : silence(longest_silence), end(latest_end) {}
};

/// A program that is started as a worker, and the text of its task.
struct WorkerCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::string task;
};

/// Runs a worker and hands its lines over, so that two drivers never share a process and one that crashes or hangs
/// takes only its own worker down. The worker is ended when it sends nothing for as long as `limits` allow, or once
/// `interrupted` is set; complete lines that it sent before are still handed over.
WorkerEnd run_worker(const WorkerCommand& command, const WorkerHandlers& handlers, const WorkerLimits& limits,
                     const std::atomic<bool>& interrupted);

/// The other side, in the program that was started: does the work of the task that it reads, and ends this process.
[[noreturn]] void be_a_worker(const std::function<void(const std::string& task, const SendLine& send)>& work);

}  // namespace sonde::measure
