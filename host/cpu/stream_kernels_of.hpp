#pragma once

#include "cpu/stream_kernels.hpp"

// The streams by a kind of vectors, for the one source that is compiled for it. Nothing of the standard library is
// called here: a function of it, compiled for wide vectors, might be the one that the whole program gets.
namespace sonde::cpu {

/// `Vectors` is local to its source: its type Doubles, its type Words of as many bytes, and how it stores past the
/// caches.
template <typename Vectors>
struct StreamsOf {
  using Doubles = typename Vectors::Doubles;
  using Words = typename Vectors::Words;
  static constexpr std::size_t elements = sizeof(Doubles) / sizeof(double);
  /// Of one trip: enough loads in flight for any core, as far as registers go.
  static constexpr std::size_t unrolled = stream_step / elements < 8 ? stream_step / elements : 8;

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
      for (std::size_t begin = 0; begin < arrays.count; begin += unrolled * elements) {
#pragma GCC unroll 8
        for (std::size_t vector = 0; vector < unrolled; ++vector) step(begin + vector * elements, vector);
      }
      asm volatile("" : : : "memory");  // or passes would be made one
    }
  }

  static std::uint64_t read(const StreamArrays& arrays, double, std::uint64_t passes) {
    Words sums[unrolled] = {};
    sweep(arrays, passes,
          [&](std::size_t i, std::size_t vector) { sums[vector] += *reinterpret_cast<const Words*>(arrays.a + i); });
    std::uint64_t sum = 0;
    for (std::size_t vector = 0; vector < unrolled; ++vector) {
      for (std::size_t element = 0; element < elements; ++element) sum += sums[vector][element];
    }
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
            .run = {{read, nullptr},
                    {write<Stream::write, false>, past_caches<true>(write<Stream::write, true>)},
                    {write<Stream::copy, false>, past_caches<true>(write<Stream::copy, true>)},
                    {write<Stream::scale, false>, past_caches<true>(write<Stream::scale, true>)},
                    {write<Stream::add, false>, past_caches<true>(write<Stream::add, true>)},
                    {write<Stream::triad, false>, past_caches<true>(write<Stream::triad, true>)},
                    {write<Stream::read_modify_write, false>, nullptr}}};
  }
};

}  // namespace sonde::cpu
