// What a native loop of fused multiply-adds gets, for compute_against_peers: as many threads as CPUs that the process
// may use, each with as many accumulators as registers leave room for.
//
//   cc -O3 -march=native -pthread arithmetic_reference.c -o arithmetic_reference
//   ./arithmetic_reference SECONDS
//
// Prints two lines for each type, "fp32 rate rate ..." and "fp32-by-cpu-time rate rate ...": Gop/s of passes of some
// milliseconds, a fused multiply-add counted as two. A pass begins and ends for all threads together, as a dispatch does.
// By CPU time is what the threads would get together if each always had its CPU, which no program beside others has.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __AVX512F__
enum { VECTOR_BYTES = 64, ACCUMULATORS = 24 };
#else
enum { VECTOR_BYTES = 32, ACCUMULATORS = 12 };
#endif
enum { MOST_PASSES = 4096, MOST_THREADS = 1024, STEPS_OF_A_TRIP = 4 };

typedef float singles __attribute__((vector_size(VECTOR_BYTES)));
typedef double doubles __attribute__((vector_size(VECTOR_BYTES)));

// Values go towards addend / (1 - factor), which is no special one.
static volatile double factor = 0.9;
static volatile double addend = 0.1;
static volatile double kept;

#define LOOP(name, vector, number)                                              \
  __attribute__((noinline)) static void name(long trips) {                      \
    const vector by = (vector){0} + (number)factor;                             \
    const vector and = (vector){0} + (number)addend;                            \
    vector x[ACCUMULATORS];                                                     \
    for (int i = 0; i < ACCUMULATORS; ++i) x[i] = by + (number)i;               \
    for (long trip = 0; trip < trips; ++trip) {                                 \
      _Pragma("GCC unroll 4") for (int step = 0; step < STEPS_OF_A_TRIP; ++step) { \
        _Pragma("GCC unroll 24") for (int i = 0; i < ACCUMULATORS; ++i) x[i] = x[i] * by + and; \
      }                                                                         \
    }                                                                           \
    vector sum = x[0];                                                          \
    for (int i = 1; i < ACCUMULATORS; ++i) sum += x[i];                         \
    kept = sum[0];                                                              \
  }

LOOP(in_singles, singles, float)
LOOP(in_doubles, doubles, double)

static double seconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static pthread_barrier_t together;
static void (*loop)(long);
static long trips;  // 0: there is no more to do
static double cpu_seconds[MOST_THREADS];

static void part(long thread) {
  const double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  loop(trips);
  cpu_seconds[thread] = seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void* work(void* thread) {
  for (;;) {
    pthread_barrier_wait(&together);
    if (trips == 0) return NULL;
    part((long)thread);
    pthread_barrier_wait(&together);
  }
}

static double pass(void) {
  const double begin = seconds_of(CLOCK_MONOTONIC);
  pthread_barrier_wait(&together);
  part(0);
  pthread_barrier_wait(&together);
  return seconds_of(CLOCK_MONOTONIC) - begin;
}

static void measure(const char* type, void (*of_type)(long), int numbers, int threads, double seconds) {
  static double rates[MOST_PASSES];
  static double by_cpu_time[MOST_PASSES];
  loop = of_type;
  for (trips = 1000; pass(), cpu_seconds[0] < 3e-3; trips *= 2) {
  }
  const double operations_of_a_thread = 2.0 * numbers * ACCUMULATORS * STEPS_OF_A_TRIP * (double)trips * 1e-9;
  const double end = seconds_of(CLOCK_MONOTONIC) + seconds;
  int passes = 0;
  while (passes < MOST_PASSES && (passes < 5 || seconds_of(CLOCK_MONOTONIC) < end)) {
    rates[passes] = operations_of_a_thread * threads / pass();
    by_cpu_time[passes] = 0;
    for (int thread = 0; thread < threads; ++thread) by_cpu_time[passes] += operations_of_a_thread / cpu_seconds[thread];
    ++passes;
  }
  printf("%s", type);
  for (int i = 0; i < passes; ++i) printf(" %.3f", rates[i]);
  printf("\n%s-by-cpu-time", type);
  for (int i = 0; i < passes; ++i) printf(" %.3f", by_cpu_time[i]);
  printf("\n");
}

int main(int count, char** arguments) {
  const double seconds = count > 1 ? atof(arguments[1]) : 1;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  const int threads = CPU_COUNT(&allowed) < MOST_THREADS ? CPU_COUNT(&allowed) : MOST_THREADS;
  pthread_barrier_init(&together, NULL, (unsigned)threads);
  for (long other = 1; other < threads; ++other) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, (void*)other) != 0) return 1;
  }
  measure("fp32", in_singles, VECTOR_BYTES / (int)sizeof(float), threads, seconds);
  measure("fp64", in_doubles, VECTOR_BYTES / (int)sizeof(double), threads, seconds);
  trips = 0;
  pthread_barrier_wait(&together);
  return 0;
}
