#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace sonde::measure {

/// How a worker process ended.
struct WorkerEnd {
  enum class How { finished, crashed, silent, interrupted, out_of_time };
  How how = How::finished;
  std::string reason;      ///< a sentence for the record; empty when it finished
  std::string last_words;  ///< last line that the driver wrote to standard error; often empty
};

/// What the child calls to send one line (without its end) to the parent.
using SendLine = std::function<void(const std::string& line)>;

struct WorkerHandlers {
  std::function<void(std::string_view line)> line;         ///< called in the parent for each complete line
  std::function<void()> tick;                              ///< called in the parent several times a second
  std::function<void(std::string_view text)> diagnostics;  ///< what the driver wrote to its standard error
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

/// Runs `work` in a child process and hands its lines to the parent, so that two drivers never share a process
/// and one that crashes or hangs takes only its own worker down. The child is ended when it sends nothing for
/// `limits` allow, or once `interrupted` is set; complete lines that it sent before are still handed over.
/// Must be called while this process has one thread.
WorkerEnd run_worker(const std::function<void(const SendLine&)>& work, const WorkerHandlers& handlers,
                     const WorkerLimits& limits, const std::atomic<bool>& interrupted);

}  // namespace sonde::measure
