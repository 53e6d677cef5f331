#pragma once

#include <atomic>

#include "os/file.hpp"
#include "os/machine.hpp"

// Instructions that C++ has no words for: cache flushes and split locks. A split lock is a locked operation on a word
// that lies in two cache lines; x86 executes it by keeping all other cores from memory meanwhile.
namespace sonde::cpu {

/// Whether `flush` does anything on this kind of processor.
#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool can_flush = true;
#else
inline constexpr bool can_flush = false;
#endif

/// Writes the line at an address back and drops it from the caches of all cores, by the time `wait_for_flushes`
/// returns.
inline void flush(const void* line) {
#if defined(__x86_64__)
  __builtin_ia32_clflush(line);
#elif defined(__aarch64__)
  asm volatile("dc civac, %0" : : "r"(line) : "memory");
#else
  static_cast<void>(line);
#endif
}

/// Waits until all flushes, loads and stores of the calling thread are done.
inline void wait_for_flushes() {
#if defined(__x86_64__)
  __builtin_ia32_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb sy" : : : "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Whether this kind of processor executes split locks; others fault, or split the operation in two.
#if defined(__x86_64__)
inline constexpr bool has_split_locks = true;
#else
inline constexpr bool has_split_locks = false;
#endif

/// Sets the word to `after` where it was `before`, and returns whether it was. The word may begin at any byte.
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

/// How the kernel treats a program that makes split locks.
struct SplitLockRule {
  /// It is put to sleep for 10 ms at a time, one program after the other; empty where the kernel does not tell.
  std::optional<bool> slowed;
  bool ended = false;  ///< by a signal
};

/// Parses /proc/sys/kernel/split_lock_mitigate, empty where there is none, and /proc/cmdline.
/// Sources: kernel, Documentation/admin-guide/sysctl/kernel.rst, kernel-parameters.txt, arch/x86/buslock.rst.
inline SplitLockRule split_lock_rule(std::string_view mitigate, std::string_view command_line) {
  SplitLockRule rule;
  if (!mitigate.empty()) rule.slowed = mitigate.front() != '0';
  if (command_line.find("split_lock_detect=off") != std::string_view::npos) rule.slowed = false;
  rule.ended = command_line.find("split_lock_detect=fatal") != std::string_view::npos;
  return rule;
}

/// The rule of this machine's kernel. A hypervisor may slow a whole virtual machine in the same way, which no program
/// in it can see.
inline SplitLockRule split_lock_rule() {
  if (!os::has_proc_and_sys) return {};
  constexpr std::size_t most_bytes = 1 << 16;
  return split_lock_rule(os::read_bytes("/proc/sys/kernel/split_lock_mitigate", most_bytes).value_or(""),
                         os::read_bytes("/proc/cmdline", most_bytes).value_or(""));
}

}  // namespace sonde::cpu
