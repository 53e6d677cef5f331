#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "gpu/model/memory.hpp"
#include "gpu/model/storage.hpp"

namespace sonde::gpu::model {

/// How a kernel was compiled and launched.
struct Shape {
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;
  std::map<std::string, std::uint32_t, std::less<>> constants;
};

/// What a reference kernel sees of the device: words that cost time, scalars, and arithmetic.
/// A word outside its buffer throws Error.
class Invocation {
 public:
  Invocation(Memory& memory, std::span<Storage* const> buffers, std::span<const std::uint32_t> scalars,
             const Shape& shape, double local_latency_ns)
      : memory_(memory), buffers_(buffers), scalars_(scalars), shape_(shape), local_latency_ns_(local_latency_ns) {}

  /// One buffer of the launch; what it loads and stores goes through the caches.
  class Words {
   public:
    [[nodiscard]] std::uint32_t load(std::uint64_t word) { return *at(word); }
    void store(std::uint64_t word, std::uint32_t value) {
      storage_.walk() = {};
      *at(word) = value;
    }
    /// `hops` loads, each of the word that the load before it named; returns what the last one read.
    [[nodiscard]] std::uint32_t follow(std::uint32_t word, std::uint64_t hops);
    /// Neighbouring words that many items move at once: what they cost, and where they are.
    [[nodiscard]] std::uint32_t* stream(std::uint64_t word, std::uint64_t count, Transfer transfer);

   private:
    friend class Invocation;
    Words(Memory& memory, Storage& storage)
        : memory_(memory),
          storage_(storage),
          words_(storage.words()),
          address_(storage.address()),
          count_(storage.size_bytes() / 4) {}

    std::uint32_t* at(std::uint64_t word) {
      if (word >= count_) throw_out_of_range(word);
      memory_.access(address_ + word * 4);
      return words_ + word;
    }
    [[noreturn]] void throw_out_of_range(std::uint64_t word) const;

    Memory& memory_;
    Storage& storage_;
    std::uint32_t* words_;
    std::uint64_t address_;
    std::uint64_t count_;
  };

  [[nodiscard]] Words buffer(std::size_t argument) { return {memory_, *buffers_[argument]}; }
  [[nodiscard]] std::uint32_t scalar(std::size_t argument) const { return scalars_[argument]; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// A constant that the kernel was compiled with; throws Error where it was not.
  [[nodiscard]] std::uint32_t constant(std::string_view name) const;
  /// From here on it is this group that loads and stores; groups go to the compute units in turn.
  void enter_group(std::uint32_t group) { memory_.enter(group); }
  /// Arithmetic that nothing overlaps, in cycles of the device's clock.
  void compute(double cycles) { cycles_ += cycles; }
  [[nodiscard]] double cycles() const { return cycles_; }
  /// Loads from the work-group's own memory, one after the other.
  void wait_for_local(std::uint64_t loads) { local_ns_ += local_latency_ns_ * static_cast<double>(loads); }
  [[nodiscard]] double local_ns() const { return local_ns_; }

 private:
  Memory& memory_;
  std::span<Storage* const> buffers_;
  std::span<const std::uint32_t> scalars_;
  const Shape& shape_;
  double cycles_ = 0;
  double local_latency_ns_;
  double local_ns_ = 0;
};

/// The third form of a kernel, beside OpenCL C and SPIR-V: what it does, step by step.
struct ReferenceKernel {
  std::string_view name;  ///< KernelSource::name
  std::size_t buffers;
  std::size_t scalars;
  void (*run)(Invocation& invocation);
};

/// The reference of a kernel; throws Unsupported where there is none.
[[nodiscard]] const ReferenceKernel& reference_kernel(std::string_view name);

}  // namespace sonde::gpu::model
