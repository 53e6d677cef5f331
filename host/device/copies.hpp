#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace sonde::device {

/// Who does a copy: whatever the driver takes on a queue that runs kernels too, or hardware that can do
/// nothing but copy.
enum class CopyEngine { driver, transfer };

/// Memory of the host at one end of a copy: as every program has it, the driver's own that no system moves
/// away, or the program's that was made known to the driver beforehand.
enum class HostKind { pageable, pinned, imported };

/// Host memory that copies may begin or end in; between copies the program reads and writes it as it likes.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
};

/// One end of a copy: in a buffer of the device, or else in host memory.
struct CopyPlace {
  Buffer* buffer = nullptr;
  HostMemory* host = nullptr;
  std::uint64_t offset_bytes = 0;
};

struct Copy {
  CopyPlace from;
  CopyPlace to;
  std::uint64_t bytes = 0;
};

/// What a queue copies, each once the one before it has ended.
using CopyList = std::vector<Copy>;

/// The queues of one engine.
struct CopyQueues {
  std::string name;         ///< as the API has it: "queue family 1 (transfer)"
  std::uint32_t count = 0;  ///< that lists can be given to at once
  bool has_clock = true;    ///< else times are the host's, from the gate to the end, and have to be free of it by slope
};

struct CopyTimes {
  Nanoseconds all{0};             ///< from the first list's begin to the last one's end
  std::vector<Nanoseconds> each;  ///< of every list, by its own queue's clock
  Nanoseconds taken_off{0};       ///< what reading the clock takes itself, and was taken off `all`
};

/// A list beside a kernel, each by its own queue's clock.
struct BesideTimes {
  Nanoseconds copies{0};
  Nanoseconds kernel{0};
  bool kernel_outlasted = false;  ///< the kernel still ran when the last copy had ended
};

/// What of a device copies; every method throws Error when the driver fails and Unsupported, with the reason,
/// where the device has no such thing.
class Copies {
 public:
  virtual ~Copies() = default;
  [[nodiscard]] virtual CopyQueues queues(CopyEngine engine) = 0;
  [[nodiscard]] virtual std::unique_ptr<HostMemory> make_host_memory(HostKind kind, std::uint64_t size_bytes) = 0;

  /// Runs the lists side by side, each on a queue of its own. A gate holds the queues until all is enqueued,
  /// unless a driver may wait for a copy while it is enqueued, as with pageable memory.
  virtual CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) = 0;

  /// Runs a list that is let go once the kernel runs.
  virtual BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) = 0;
};

}  // namespace sonde::device
