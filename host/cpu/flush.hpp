#pragma once

#include <atomic>

namespace sonde::cpu {

/// Whether `flush` does anything on this kind of processor.
#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool can_flush = true;
#else
inline constexpr bool can_flush = false;
#endif

/// Has the line at an address written back and dropped from the caches of all cores; done once `wait_for_flushes` ends.
inline void flush(const void* line) {
#if defined(__x86_64__)
  __builtin_ia32_clflush(line);
#elif defined(__aarch64__)
  asm volatile("dc civac, %0" : : "r"(line) : "memory");
#else
  static_cast<void>(line);
#endif
}

/// Afterwards all flushes, loads and stores of the calling thread have been made.
inline void wait_for_flushes() {
#if defined(__x86_64__)
  __builtin_ia32_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb sy" : : : "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace sonde::cpu
