#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace sonde::device {

/// The hardware that does a copy: `driver` is whatever the driver takes on a queue that runs kernels too, `transfer` is
/// hardware that can only copy.
enum class CopyEngine { driver, transfer };

/// The memory of the host at one end of a copy: ordinary pageable memory, memory that the driver allocated and pinned,
/// or the program's memory that was imported into the driver beforehand.
enum class HostKind { pageable, pinned, imported };

/// Host memory that copies may begin or end in; between copies the program may read and write it freely.
class HostBlock {
 public:
  virtual ~HostBlock() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
};

/// Throws Unsupported where the machine cannot spare so much of its own memory.
void check_host_can_spare(std::uint64_t size_bytes);

/// Memory of the program that begins on a page and fills whole pages, all of them already backed by physical memory.
class PageAligned {
 public:
  PageAligned() = default;
  /// `alignment_bytes` is a power of two. Throws Unsupported where the machine has no such memory left.
  explicit PageAligned(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 4096);

  [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), size_bytes_}; }

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::uint64_t size_bytes_ = 0;
};

/// Ordinary memory on pages of its own: memcpy may be five times as slow where both sides are not aligned alike.
class PageableMemory final : public HostBlock {
 public:
  explicit PageableMemory(std::uint64_t size_bytes) : memory_(size_bytes), size_bytes_(size_bytes) {}
  std::span<std::byte> bytes() override { return memory_.bytes().first(size_bytes_); }

 private:
  PageAligned memory_;
  std::uint64_t size_bytes_;
};

/// One end of a copy: in a buffer of the device, or else in host memory.
struct CopyEndpoint {
  Buffer* buffer = nullptr;
  HostBlock* host = nullptr;
  std::uint64_t offset_bytes = 0;
};

struct Copy {
  CopyEndpoint from;
  CopyEndpoint to;
  std::uint64_t bytes = 0;
};

/// The copies of one queue, each of which begins when the one before it has ended.
using CopyList = std::vector<Copy>;

/// The queues of one engine, as the driver offers them.
struct CopyQueues {
  std::string name;         ///< as the API has it: "queue family 1 (transfer)"
  std::uint32_t count = 0;  ///< how many lists can run at once
  bool has_clock = true;  ///< else times are the host's, from the gate to the end, and only their slope is the copies'
};

struct CopyTimes {
  Nanoseconds all{0};             ///< from the first list's begin to the last one's end
  std::vector<Nanoseconds> each;  ///< time of every list, by its own queue's clock
  Nanoseconds taken_off{0};       ///< time of reading the clock itself, already subtracted from `all`
};

/// The times of a list and of the kernel beside it, each by its own queue's clock.
struct BesideTimes {
  Nanoseconds copies{0};
  Nanoseconds kernel{0};
  bool kernel_outlasted = false;  ///< the kernel still ran when the last copy had ended
};

/// The copy engines of a device; every method throws Error when the driver fails and Unsupported, with the reason,
/// where the device has no such engine or memory.
class CopyEngines {
 public:
  virtual ~CopyEngines() = default;
  [[nodiscard]] virtual CopyQueues queues(CopyEngine engine) = 0;
  [[nodiscard]] virtual std::unique_ptr<HostBlock> make_host_memory(HostKind kind, std::uint64_t size_bytes) = 0;

  /// Runs the lists side by side, each on a queue of its own. A gate holds the queues until all lists are enqueued,
  /// except where a driver may wait for a copy while it is enqueued, as with pageable memory.
  virtual CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) = 0;

  /// Runs the kernel, and the list once the kernel is running.
  virtual BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) = 0;
};

/// The reason to report where begins_soon() returns false.
inline constexpr const char* kernel_waits_reason =
    "no kernel began within 2 seconds while copies were held on another queue, so the two cannot be timed side by side";

/// Waits for a kernel that has run before and was enqueued with nothing before it. Returns false when it is certain
/// that the driver keeps it behind work on other queues.
bool begins_soon(const std::function<bool()>& has_begun);

}  // namespace sonde::device
