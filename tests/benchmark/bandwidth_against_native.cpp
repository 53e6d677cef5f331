// Prints, pattern by pattern and size by size and in turn, what plain C++ loops on all cores and Sonde's streams on the
// CPU device reach: how much of the machine a kernel gets. Ordinary stores, memory in 4 KiB pages as drivers have it,
// the same minutes; native loops once through one stream a core and once through as many as they have loads in flight,
// of which the faster way counts. The spread is the interquartile range of the rounds' medians, in percent of their
// median; with ten rounds or more it has to be below 5 wherever native's own is below 3, and a column says whether it
// is. Usage: bandwidth_against_native opencl|vulkan|vulkan-descriptors [rounds] [group_size groups vector_words
// in_flight interleaved spread]; without a shape, the probe's own search finds it.

#include <sys/mman.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analysis/statistics.hpp"
#include "counters/state/host_time.hpp"
#include "device/opencl/opencl.hpp"
#include "device/vulkan/vulkan.hpp"
#include "measure/repetitions.hpp"
#include "measure/stopping.hpp"
#include "workloads/noise.hpp"
#include "workloads/shape_search.hpp"
#include "workloads/stream.hpp"

namespace {

using namespace sonde;
using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kib = 1024;

struct SmallPages {
  std::size_t bytes;
  std::uint32_t* words;
  SmallPages(std::size_t size, std::uint64_t seed) : bytes(size) {
    words =
        static_cast<std::uint32_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(words, bytes, MADV_NOHUGEPAGE);
    const workloads::Noise noise(seed);
    for (std::size_t word = 0; word < bytes / 4; ++word) words[word] = noise(word);
  }
  ~SmallPages() { munmap(words, bytes); }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
};

/// Which words loops go through: `trips` times all that is in flight, whose vectors lie `apart`.
struct Way {
  std::size_t trips;
  std::size_t step;
  std::size_t apart;
};
Way way_through(std::size_t words, std::size_t vector_words, std::size_t in_flight, bool spread) {
  const std::size_t trips = words / vector_words / in_flight;
  return spread ? Way{trips, vector_words, trips * vector_words} : Way{trips, vector_words * in_flight, vector_words};
}

// The widest vectors that the processor has, eight loads in flight, or four of each array.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) void read_512(const std::uint32_t* a, const Way& way, std::uint32_t* sink) {
  __m512i sums[8];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  for (std::size_t trip = 0; trip < way.trips; ++trip, a += way.step) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) sums[k] = _mm512_add_epi32(sums[k], _mm512_load_si512(a + k * way.apart));
  }
  __m512i all = sums[0];
  for (int k = 1; k < 8; ++k) all = _mm512_add_epi32(all, sums[k]);
  alignas(64) std::uint32_t lanes[16];
  _mm512_store_si512(lanes, all);
  for (const std::uint32_t lane : lanes) *sink += lane;
}
__attribute__((target("avx512f"))) void add_512(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c,
                                                const Way& way) {
  for (std::size_t trip = 0; trip < way.trips; ++trip) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t at = trip * way.step + k * way.apart;
      _mm512_store_si512(c + at, _mm512_add_epi32(_mm512_load_si512(a + at), _mm512_load_si512(b + at)));
    }
  }
}
__attribute__((target("avx2"))) void read_256(const std::uint32_t* a, const Way& way, std::uint32_t* sink) {
  __m256i sums[8];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (std::size_t trip = 0; trip < way.trips; ++trip, a += way.step) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k)
      sums[k] = _mm256_add_epi32(sums[k], _mm256_load_si256(reinterpret_cast<const __m256i*>(a + k * way.apart)));
  }
  __m256i all = sums[0];
  for (int k = 1; k < 8; ++k) all = _mm256_add_epi32(all, sums[k]);
  *sink += static_cast<std::uint32_t>(_mm256_extract_epi32(all, 0));
}
__attribute__((target("avx2"))) void add_256(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c,
                                             const Way& way) {
  for (std::size_t trip = 0; trip < way.trips; ++trip) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t at = trip * way.step + k * way.apart;
      const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(a + at));
      const __m256i y = _mm256_load_si256(reinterpret_cast<const __m256i*>(b + at));
      _mm256_store_si256(reinterpret_cast<__m256i*>(c + at), _mm256_add_epi32(x, y));
    }
  }
}

bool has_512() { return __builtin_cpu_supports("avx512f") != 0; }
std::size_t widest_words() { return has_512() ? 16 : 8; }
void read_widest(const std::uint32_t* a, const Way& way, std::uint32_t* sink) {
  has_512() ? read_512(a, way, sink) : read_256(a, way, sink);
}
void add_widest(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c, const Way& way) {
  has_512() ? add_512(a, b, c, way) : add_256(a, b, c, way);
}
#else
using Vector [[gnu::vector_size(16)]] = std::uint32_t;
const Vector& vector_at(const std::uint32_t* words) { return *reinterpret_cast<const Vector*>(words); }
std::size_t widest_words() { return 4; }
void read_widest(const std::uint32_t* a, const Way& way, std::uint32_t* sink) {
  Vector sums[8] = {};
  for (std::size_t trip = 0; trip < way.trips; ++trip, a += way.step) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) sums[k] += vector_at(a + k * way.apart);
  }
  for (const Vector& sum : sums) *sink += sum[0] + sum[1] + sum[2] + sum[3];
}
void add_widest(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c, const Way& way) {
  for (std::size_t trip = 0; trip < way.trips; ++trip) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t at = trip * way.step + k * way.apart;
      *reinterpret_cast<Vector*>(c + at) = vector_at(a + at) + vector_at(b + at);
    }
  }
}
#endif

/// All cores, each on arrays of its own, begun together; the median of a few stretches of 20 ms.
double native_gbps(workloads::Pattern pattern, std::uint64_t bytes, bool spread, std::uint64_t seed) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const bool reads = pattern == workloads::Pattern::read;
  const std::uint64_t array = bytes / cores / (reads ? 1 : 3) / 512 * 512;
  const Way way = way_through(array / 4, widest_words(), reads ? 8 : 4, spread);
  std::vector<double> values;
  std::uint64_t passes = 1;
  std::vector<std::unique_ptr<SmallPages>> memory;
  for (unsigned i = 0; i < cores * (reads ? 1 : 3); ++i)
    memory.push_back(std::make_unique<SmallPages>(array, seed + i));
  const auto stretch = [&] {
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> threads;
    std::vector<Clock::time_point> begins(cores), ends(cores);
    for (unsigned core = 0; core < cores; ++core) {
      threads.emplace_back([&, core] {
        std::uint32_t* const a = memory[core]->words;
        std::uint32_t* const b = reads ? a : memory[cores + core]->words;
        std::uint32_t* const c = reads ? a : memory[2 * cores + core]->words;
        std::uint32_t sink = 0;
        ++ready;
        while (ready < cores) std::this_thread::yield();
        begins[core] = Clock::now();
        for (std::uint64_t pass = 0; pass < passes; ++pass) {
          if (reads) {
            read_widest(a, way, &sink);
          } else {
            add_widest(a, b, c, way);
          }
          asm volatile("" : : "r"(sink) : "memory");
        }
        ends[core] = Clock::now();
      });
    }
    for (std::thread& thread : threads) thread.join();
    const auto begin = *std::min_element(begins.begin(), begins.end());
    return std::chrono::duration<double, std::nano>(*std::max_element(ends.begin(), ends.end()) - begin).count();
  };
  while (stretch() < 20e6) passes *= 2;
  for (int repetition = 0; repetition < 9; ++repetition) {
    values.push_back(static_cast<double>(passes * array * cores * (reads ? 1 : 3)) / stretch());
  }
  return analysis::quantile(values, 0.5);
}

/// What spreads of so many rounds say.
const char* steadiness(int rounds, double native_percent, double percent) {
  if (rounds < 10) return "";
  if (percent < 5) return "yes";
  return native_percent < 3 ? "no" : "noise";  // the machine itself was not steady
}

}  // namespace

int main(int count, char** arguments) {
  const std::string api = count > 1 ? arguments[1] : "opencl";
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  const auto device = api == "vulkan"               ? device::vulkan::open(0)
                      : api == "vulkan-descriptors" ? device::vulkan::open(0, device::vulkan::BufferAccess::descriptors)
                                                    : device::opencl::open(0);
  std::printf("%6s %12s %9s %9s %9s %9s %7s %8s  %-6s  %s\n", "", "bytes", "native", "spread %", api.c_str(),
              "spread %", "ratio", "foreign", "steady", "shape");
  for (const workloads::Pattern pattern : {workloads::Pattern::read, workloads::Pattern::add}) {
    // What lies beyond a binding's range is reached in more instructions.
    const std::uint64_t large = std::min(262144 * kib, device->info().bound_bytes);
    for (const std::uint64_t about : {32 * kib, 2048 * kib, large}) {
      // Arrays that every shape can be cut into: a quarter each where there are three.
      const std::uint64_t bytes = pattern == workloads::Pattern::read ? about : about / 4 * 3;
      workloads::Shape shape;
      const std::uint64_t array_bytes = bytes / workloads::facts_of(pattern).arrays;
      if (count > 8) {
        const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(arguments[i])); };
        shape = {number(3), number(4), number(5), number(6), number(7) != 0, number(8) != 0};
      } else {
        shape = workloads::search_shape(*device, pattern, workloads::Sharing::separate, bytes,
                                        workloads::SearchDepth::full);
      }
      shape = workloads::fitted(shape, workloads::Sharing::separate, array_bytes);
      std::vector<double> native, ours, ratios;
      const auto before = counters::read_host_time();
      for (int round = 0; round < rounds; ++round) {
        const auto seed = static_cast<std::uint64_t>(round);
        native.push_back(std::max(native_gbps(pattern, bytes, false, seed), native_gbps(pattern, bytes, true, seed)));
        const measure::Workload work =
            workloads::stream(*device, pattern, workloads::Sharing::separate, shape, bytes, seed);
        ours.push_back(
            analysis::quantile(measure::repeat(work, measure::limits_of(measure::Effort::normal), [] {}).values, 0.5));
        ratios.push_back(ours.back() / native.back());
      }
      const auto load = counters::load_between(before, counters::read_host_time());
      const auto spread = [](const std::vector<double>& values) {
        const analysis::Summary s = analysis::summarize(values);
        return (s.upper_quartile - s.lower_quartile) / s.median * 100;
      };
      std::printf("%6s %12llu %9.2f %9.2f %9.2f %9.2f %7.3f %8.3f  %-6s  %u items, %u groups, %u B, %u in flight%s\n",
                  std::string(workloads::facts_of(pattern).name).c_str(), static_cast<unsigned long long>(bytes),
                  analysis::quantile(native, 0.5), spread(native), analysis::quantile(ours, 0.5), spread(ours),
                  analysis::quantile(ratios, 0.5), load.foreign_cpu, steadiness(rounds, spread(native), spread(ours)),
                  shape.group_size, shape.groups, shape.vector_words * 4, shape.in_flight,
                  shape.interleaved ? ", interleaved"
                  : shape.spread    ? ", spread"
                                    : "");
      std::fflush(stdout);
    }
  }
}
