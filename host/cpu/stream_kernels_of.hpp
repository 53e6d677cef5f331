#pragma once

#include <array>

#include "cpu/stream_kernels.hpp"

// The streams for one kind of vectors, instantiated by the one source that is compiled for it. No function of the
// standard library is called here: the linker might give the whole program the copy that was compiled for wide vectors.
namespace sonde::cpu {

/// `Vectors` is local to its source. It has the types Doubles and Words, of as many bytes, and stores past the caches.
template <typename Vectors, std::size_t Unrolled>
struct StreamsOf {
  using Doubles = typename Vectors::Doubles;
  using Words = typename Vectors::Words;
  static constexpr std::size_t elements = sizeof(Doubles) / sizeof(double);
  static_assert(stream_step % (Unrolled * elements) == 0);

  static const Doubles& at(const double* place) { return *reinterpret_cast<const Doubles*>(place); }

  template <bool NonTemporal>
  static void put(double* place, Doubles value) {
    if constexpr (NonTemporal) {
      Vectors::store_past_caches(place, value);
    } else {
      *reinterpret_cast<Doubles*>(place) = value;
    }
  }

  template <typename Step>
  static void sweep(const StreamArrays& arrays, std::uint64_t passes, Step step) {
    for (; passes > 0; --passes) {
      for (std::size_t begin = 0; begin < arrays.count; begin += Unrolled * elements) {
#pragma GCC unroll 16
        for (std::size_t vector = 0; vector < Unrolled; ++vector) step(begin + vector * elements, vector);
      }
      asm volatile("" : : : "memory");  // keeps the compiler from merging passes
    }
  }

  static std::uint64_t read(const StreamArrays& arrays, double, std::uint64_t passes) {
    Words sums[Unrolled] = {};
    const double* a = arrays.a;
    for (; passes > 0; --passes) {
      // The compiler has to take this for another array, or it would merge the passes. A clobber of memory would do
      // too, but have all sums stored and loaded again.
      asm volatile("" : "+r"(a));
      for (std::size_t begin = 0; begin < arrays.count; begin += Unrolled * elements) {
#pragma GCC unroll 16
        for (std::size_t vector = 0; vector < Unrolled; ++vector) {
          sums[vector] += *reinterpret_cast<const Words*>(a + begin + vector * elements);
        }
      }
    }
#pragma GCC unroll 16
    for (std::size_t vector = 1; vector < Unrolled; ++vector) sums[0] += sums[vector];
    std::uint64_t sum = 0;
    for (std::size_t element = 0; element < elements; ++element) sum += sums[0][element];
    return sum;
  }

  template <Stream Kind, bool NonTemporal>
  static std::uint64_t write(const StreamArrays& arrays, double scalar, std::uint64_t passes) {
    const Doubles times = scalar - Doubles{};
    double* const a = arrays.a;
    const double* const b = arrays.b;
    const double* const c = arrays.c;
    sweep(arrays, passes, [=](std::size_t i, std::size_t) {
      if constexpr (Kind == Stream::write) put<NonTemporal>(a + i, times);
      if constexpr (Kind == Stream::copy) put<NonTemporal>(a + i, at(b + i));
      if constexpr (Kind == Stream::scale) put<NonTemporal>(a + i, times * at(b + i));
      if constexpr (Kind == Stream::add) put<NonTemporal>(a + i, at(b + i) + at(c + i));
      if constexpr (Kind == Stream::triad) put<NonTemporal>(a + i, at(b + i) + times * at(c + i));
      if constexpr (Kind == Stream::read_modify_write) put<NonTemporal>(a + i, at(a + i) + times);
      if constexpr (Kind == Stream::read_2_write_1) put<NonTemporal>(a + i, at(a + i) + at(b + i));
      if constexpr (Kind == Stream::read_3_write_1) put<NonTemporal>(a + i, at(a + i) + (at(b + i) + at(c + i)));
    });
    if constexpr (NonTemporal) Vectors::wait_for_stores();
    return 0;
  }

  template <bool NonTemporal>
  static constexpr auto past_caches(std::uint64_t (*kernel)(const StreamArrays&, double, std::uint64_t)) {
    return Vectors::has_stores_past_caches || !NonTemporal ? kernel : nullptr;
  }

  static constexpr StreamKernels kernels(const char* name) {
    return {.name = name,
            .vector_bytes = sizeof(Doubles),
            .in_flight = Unrolled,
            .run = {{read, nullptr},
                    {write<Stream::write, false>, past_caches<true>(write<Stream::write, true>)},
                    {write<Stream::copy, false>, past_caches<true>(write<Stream::copy, true>)},
                    {write<Stream::scale, false>, past_caches<true>(write<Stream::scale, true>)},
                    {write<Stream::add, false>, past_caches<true>(write<Stream::add, true>)},
                    {write<Stream::triad, false>, past_caches<true>(write<Stream::triad, true>)},
                    {write<Stream::read_modify_write, false>, nullptr},
                    {write<Stream::read_2_write_1, false>, nullptr},
                    {write<Stream::read_3_write_1, false>, nullptr}}};
  }
};

/// One set of kernels for each number of vectors in a trip, from as many as registers hold sums and a step has vectors.
template <typename Vectors>
constexpr auto kernels_of(const char* name) {
  constexpr std::size_t most = stream_step * sizeof(double) / sizeof(typename Vectors::Doubles);
  if constexpr (most >= 16) {
    return std::array{StreamsOf<Vectors, 16>::kernels(name), StreamsOf<Vectors, 8>::kernels(name),
                      StreamsOf<Vectors, 4>::kernels(name), StreamsOf<Vectors, 2>::kernels(name)};
  } else {
    return std::array{StreamsOf<Vectors, 8>::kernels(name), StreamsOf<Vectors, 4>::kernels(name),
                      StreamsOf<Vectors, 2>::kernels(name)};
  }
}

// The kernels of the wider vectors, each in a source of its own.
#if defined(__x86_64__)
std::span<const StreamKernels> avx2_streams();
std::span<const StreamKernels> avx512_streams();
#endif

}  // namespace sonde::cpu
