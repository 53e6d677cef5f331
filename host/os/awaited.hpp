#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace sonde::os {

/// A number, or a yes or no, of which threads wait for a change and sleep meanwhile. In place of std::atomic's wait(),
/// std::latch and std::counting_semaphore: where a system has no futex, as Windows, GCC 12's library loses a
/// notification that comes while somebody is about to wait, and who waits sleeps for ever.
template <typename Value>
class Awaited {
 public:
  explicit Awaited(Value value) : value_(value) {}

  [[nodiscard]] Value value() const { return value_; }

  /// Wakes who waits.
  void set(Value value) {
    change([value](Value) { return value; });
  }
  /// Returns what it is then. Wakes who waits.
  Value add(Value value) {
    return change([value](Value before) { return before + value; });
  }
  /// Until `is_enough(value)`; returns the value for which it was.
  template <typename Enough>
  Value wait_until(Enough is_enough) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_enough(value_.load()); });
    return value_;
  }

 private:
  template <typename Change>
  Value change(Change change) {
    const std::lock_guard lock(mutex_);
    const Value now = change(value_.load());
    value_ = now;
    // Under the lock, so that nobody has done with all of this before.
    changed_.notify_all();
    return now;
  }

  std::atomic<Value> value_;  ///< changed under the lock, read without it too
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace sonde::os
