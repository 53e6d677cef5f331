#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Locked operations on a word that two cache lines share, a split lock: x86 has them, and does them by keeping every
// other core from memory meanwhile.
namespace sonde::cpu {

/// Whether this kind of processor has them at all; elsewhere they fault, or are no single operation.
#if defined(__x86_64__)
inline constexpr bool has_split_locks = true;
#else
inline constexpr bool has_split_locks = false;
#endif

/// What the kernel does to a program that makes them.
struct SplitLockRule {
  /// It is put to sleep for 10 ms at a time, one program after the other; empty where the kernel does not say.
  std::optional<bool> slowed;
  bool ended = false;  ///< by a signal
};

/// Of this machine. A hypervisor may do the same to the whole virtual machine, which nobody in it can tell.
SplitLockRule split_lock_rule();

/// From the texts of /proc/sys/kernel/split_lock_mitigate, empty where there is none, and of /proc/cmdline.
SplitLockRule split_lock_rule(std::string_view mitigate, std::string_view command_line);

/// Puts `after` in place of `before`; false where something else stood there. The word may begin at any byte.
inline bool compare_and_swap(std::byte* word, std::uint64_t before, std::uint64_t after) {
#if defined(__x86_64__)
  std::uint64_t found = before;
  asm volatile("lock cmpxchgq %2, %1" : "+a"(found), "+m"(*word) : "r"(after) : "memory", "cc");
  return found == before;
#else
  static_cast<void>(word);
  return before == after;
#endif
}

/// Adds one to a word that may begin at any byte.
inline void locked_increment(std::byte* word) {
#if defined(__x86_64__)
  asm volatile("lock incq %0" : "+m"(*word) : : "memory", "cc");
#else
  static_cast<void>(word);
#endif
}

}  // namespace sonde::cpu
