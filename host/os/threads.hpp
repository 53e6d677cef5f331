#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

namespace sonde::os {

/// The system's number of a thread of this process; 0 is the calling one.
using ThreadId = std::int64_t;

/// CPUs by the system's numbers.
using Cpus = std::set<int>;

ThreadId this_thread();
std::vector<ThreadId> threads_of_this_process();

/// Debuggers and `top` show the name, up to 15 characters of it.
void name_this_thread(const char* name);

/// CPUs that a thread may run on; none where the system does not tell.
Cpus allowed_cpus(ThreadId thread = 0);

/// Restricts a thread to these CPUs; false where the system refuses.
bool allow_cpus(ThreadId thread, const Cpus& cpus);

/// Gives the calling thread the lowest priority, so that it runs only in the time that others leave.
void yield_to_others();

/// A number or flag that threads wait for asleep. It replaces std::atomic's wait(), std::latch and
/// std::counting_semaphore: where a system has no futex, as Windows, GCC 12's library loses a notification that comes
/// while a thread is about to wait, which then sleeps for ever.
template <typename Value>
class Awaited {
 public:
  explicit Awaited(Value value) : value_(value) {}

  [[nodiscard]] Value value() const { return value_; }

  void set(Value value) {
    change([value](Value) { return value; });
  }
  /// Returns the new value.
  Value add(Value value) {
    return change([value](Value before) { return before + value; });
  }
  /// Blocks until `is_enough(value)`; returns the value for which it was.
  template <typename Enough>
  Value wait_until(Enough is_enough) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_enough(value_.load()); });
    return value_;
  }
  /// Blocks so long at most; returns whether it was enough in time.
  template <typename Enough>
  bool wait_for(std::chrono::nanoseconds longest, Enough is_enough) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, longest, [&] { return is_enough(value_.load()); });
  }

 private:
  template <typename Change>
  Value change(Change change) {
    const std::lock_guard lock(mutex_);
    const Value now = change(value_.load());
    value_ = now;
    // The lock is still held, so that no waiter can destroy this object before.
    changed_.notify_all();
    return now;
  }

  std::atomic<Value> value_;  ///< changed under the lock, read without it too
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace sonde::os
