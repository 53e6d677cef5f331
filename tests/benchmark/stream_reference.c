// What a careful person would write in plain C to stream memory, for cpu_bandwidth_against_stream: copy, scale, add and
// triad by ordinary stores as the compiler has them, and by stores past the caches; and how fast this core's clock runs.
// Usage: stream_reference [bytes of all arrays] [seconds for each stream]
// A line a stream: its name, its stores, threads, then GB/s of each pass in which every thread had its core. In the end a
// line with the core's clock in GHz and, for working sets in its caches, what loads alone read a cycle.

#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { huge_page = 2 << 20, most_threads = 1024 };

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double* array_of(size_t count) {
  const size_t bytes = count * sizeof(double) + 2 * huge_page;
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(1);
  memory += huge_page - (uintptr_t)memory % huge_page;
  madvise(memory, bytes - huge_page, MADV_HUGEPAGE);
  return (double*)memory;
}

static void ordinary(int stream, double* restrict a, const double* restrict b, const double* restrict c, size_t count) {
  switch (stream) {
    case 0:
      for (size_t i = 0; i < count; ++i) a[i] = b[i];
      break;
    case 1:
      for (size_t i = 0; i < count; ++i) a[i] = 3 * b[i];
      break;
    case 2:
      for (size_t i = 0; i < count; ++i) a[i] = b[i] + c[i];
      break;
    default:
      for (size_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
  }
}

#if defined(__AVX__)
static void past_caches(int stream, double* a, const double* b, const double* c, size_t count) {
  const __m256d three = _mm256_set1_pd(3);
#define EACH(value)                                                                              \
  for (size_t i = 0; i < count; i += 16) {                                                       \
    for (size_t j = i; j < i + 16; j += 4) _mm256_stream_pd(a + j, value);                       \
  }
#define B _mm256_load_pd(b + j)
#define C _mm256_load_pd(c + j)
  switch (stream) {
    case 0: EACH(B) break;
    case 1: EACH(_mm256_mul_pd(three, B)) break;
    case 2: EACH(_mm256_add_pd(B, C)) break;
    default: EACH(_mm256_add_pd(B, _mm256_mul_pd(three, C)))
  }
  _mm_sfence();
}
#endif

typedef void (*stream_function)(int, double*, const double*, const double*, size_t);

/// Passes of one stream for so long, thirty at most; a value for each that nobody interrupted.
static void measure(int stream, stream_function function, int threads, size_t bytes, double longest, double* const arrays[3]) {
  static const char* const names[] = {"copy", "scale", "add", "triad"};
  const int used = stream < 2 ? 2 : 3;
  const size_t each = bytes / sizeof(double) / (size_t)used / (size_t)threads / 64 * 64;
  printf("%s %s %d", names[stream], function == (stream_function)ordinary ? "ordinary" : "non-temporal", threads);
  const double started = seconds(CLOCK_MONOTONIC);
  for (int pass = -1, good = 0; good < 30 && seconds(CLOCK_MONOTONIC) - started < longest; ++pass) {
    double begin[most_threads], end[most_threads], own[most_threads];
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      const size_t first = (size_t)thread * each;
#pragma omp barrier
      own[thread] = -seconds(CLOCK_THREAD_CPUTIME_ID);
      begin[thread] = seconds(CLOCK_MONOTONIC);
      function(stream, arrays[0] + first, arrays[1] + first, arrays[2] + first, each);
      end[thread] = seconds(CLOCK_MONOTONIC);
      own[thread] += seconds(CLOCK_THREAD_CPUTIME_ID);
    }
    double first = begin[0], latest = begin[0], last = end[0];
    int disturbed = 0;
    for (int thread = 0; thread < threads; ++thread) {
      if (begin[thread] < first) first = begin[thread];
      if (begin[thread] > latest) latest = begin[thread];
      if (end[thread] > last) last = end[thread];
      disturbed |= own[thread] < 0.99 * (end[thread] - begin[thread]) - 1e-6;
    }
    disturbed |= latest - first > 0.01 * (last - first) + 2e-6;
    if (pass < 0 || disturbed) continue;
    printf(" %.3f", (double)each * threads * used * sizeof(double) / (last - first) * 1e-9);
    ++good;
  }
  printf("\n");
}

#if defined(__x86_64__)
/// GHz: additions of which each waits for the one before take a cycle each. The most, as others can only slow it down.
static double clock_ghz(void) {
  double least = 1;
  for (int attempt = 0; attempt < 200; ++attempt) {
    uint64_t sum = 0;
    const double begin = seconds(CLOCK_MONOTONIC);
    for (int trip = 0; trip < 2000; ++trip) __asm__ volatile(".rept 50\n add $1, %0\n .endr" : "+r"(sum));
    const double time = seconds(CLOCK_MONOTONIC) - begin;
    if (time < least) least = time;
  }
  return 100000 / least * 1e-9;
}

/// Bytes a cycle of loads that nothing is done with.
static double loaded_a_cycle(const double* memory, size_t bytes, double ghz) {
  double least = 1;
  const int passes = (int)(2000000 / bytes) + 1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const double begin = seconds(CLOCK_MONOTONIC);
    for (int pass = 0; pass < passes; ++pass) {
      for (const char *at = (const char*)memory, *end = at + bytes; at < end; at += 512) {
#if defined(__AVX512F__)
        __asm__ volatile(".set at, 0\n .rept 8\n vmovdqa64 at(%0), %%zmm0\n .set at, at + 64\n .endr" : : "r"(at) : "xmm0");
#elif defined(__AVX__)
        __asm__ volatile(".set at, 0\n .rept 16\n vmovdqa at(%0), %%ymm0\n .set at, at + 32\n .endr" : : "r"(at) : "xmm0");
#else
        __asm__ volatile(".set at, 0\n .rept 32\n movdqa at(%0), %%xmm0\n .set at, at + 16\n .endr" : : "r"(at) : "xmm0");
#endif
      }
    }
    const double time = (seconds(CLOCK_MONOTONIC) - begin) / passes;
    if (time < least) least = time;
  }
  return (double)bytes / least * 1e-9 / ghz;
}
#endif

int main(int words, char** word) {
  const size_t bytes = words > 1 ? strtoull(word[1], NULL, 10) : 64 << 20;
  const double longest = words > 2 ? atof(word[2]) : 1;
  const int all = omp_get_max_threads();
  double* arrays[3];
  for (int array = 0; array < 3; ++array) {
    const size_t count = bytes / sizeof(double) / 2;
    arrays[array] = array_of(count);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i) arrays[array][i] = 1 + array;
  }
  for (int stream = 0; stream < 4; ++stream) {
    for (int threads = 1; threads <= all; threads += all > 1 ? all - 1 : 1) {
      measure(stream, (stream_function)ordinary, threads, bytes, longest, arrays);
#if defined(__AVX__)
      measure(stream, past_caches, threads, bytes, longest, arrays);
#endif
    }
  }
#if defined(__x86_64__)
  const double ghz = clock_ghz();
  printf("clock %.3f", ghz);
  for (int kib = 4; kib <= 256; kib *= 4) printf(" %d:%.2f", kib << 10, loaded_a_cycle(arrays[0], (size_t)kib << 10, ghz));
  printf("\n");
#endif
  return 0;
}
