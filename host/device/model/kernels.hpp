#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "device/model/description.hpp"
#include "device/model/memory.hpp"
#include "device/model/storage.hpp"
#include "device/number_arithmetic.hpp"

namespace sonde::device::model {

/// Hops that one trip of a walk's loop makes.
inline constexpr std::uint64_t hops_per_trip = 8;

/// The shape in which a kernel was compiled and launched.
struct Shape {
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;
  std::map<std::string, std::uint32_t, std::less<>> constants;
};

/// The memory that a streaming kernel has of its launches, so that the host need not walk the same lap for ever. No
/// program could see a difference.
struct StreamMemory {
  std::vector<std::uint64_t> walk;  ///< buffers and geometry of these launches
  std::uint64_t trips = 0;          ///< trips made so far
  std::uint64_t trips_in_window = 0;
  Traffic window;  ///< traffic of the window that is being made
  Traffic last_window;
  bool is_steady = false;           ///< two windows were alike: from here on all are
  Traffic per_trip;                 ///< known once it is steady
  std::uint64_t sums_version = 0;   ///< Words::version() of the buffer that was summed
  std::vector<std::uint32_t> sums;  ///< for each group, position and item the sum of all words before the position
};

/// The traffic of one pass of a frame, and the launch by which it is recognized in the next frame.
struct MovedByPass {
  std::vector<std::uint64_t> launch;
  Traffic traffic;
};

/// The same for a kernel that makes the passes of frames.
struct FrameMemory {
  std::vector<MovedByPass> last_frame;
  std::vector<MovedByPass> frame;  ///< as far as it is made
  bool is_steady = false;          ///< two frames were alike: from here on all are
};

/// A kernel as it was compiled and launched, and what it remembers.
struct CompiledKernel {
  Shape shape;
  StreamMemory stream_memory;
  FrameMemory frame_memory;
};

/// The device as a reference kernel sees it: words that cost time, scalars, and arithmetic.
/// A word outside its buffer throws Error.
class Invocation {
 public:
  Invocation(Memory& memory, std::span<Storage* const> buffers, std::span<const std::uint32_t> scalars,
             CompiledKernel& kernel, const Description& description, double cycles_before)
      : memory_(memory),
        buffers_(buffers),
        scalars_(scalars),
        kernel_(kernel),
        description_(description),
        cycles_before_(cycles_before) {}

  /// One buffer of the launch; what it loads and stores goes through the caches.
  class Words {
   public:
    [[nodiscard]] std::uint32_t load(std::uint64_t word) { return *at(word); }
    /// The same as load(i * step), of a buffer that nothing stores to meanwhile; `copy` is that step's spaced_words().
    [[nodiscard]] std::uint32_t load_spaced(std::uint64_t i, std::uint32_t step, const std::uint32_t* copy) {
      const std::uint32_t* const word = at(i * step);
      return copy != nullptr ? copy[i] : *word;
    }
    [[nodiscard]] const std::uint32_t* spaced_words(std::uint32_t step, std::uint64_t loads) {
      return storage_.spaced_words(step, loads);
    }
    void store(std::uint64_t word, std::uint32_t value) {
      storage_.changed();
      *at(word) = value;
    }
    /// Makes `hops` loads, each of the word that the load before it named; returns what the last one read.
    [[nodiscard]] std::uint32_t follow(std::uint32_t offset, std::uint64_t hops, std::uint32_t offset_shift);
    /// Costs what it costs when many items move words side by side at once.
    void stream(std::uint64_t word, std::uint64_t count, Transfer transfer);
    /// The words as they are in memory, at no cost.
    [[nodiscard]] const std::uint32_t* contents(std::uint64_t word, std::uint64_t count) const;
    /// The same, to be changed.
    [[nodiscard]] std::uint32_t* changed_contents(std::uint64_t word, std::uint64_t count);
    /// A number that changes with the contents.
    [[nodiscard]] std::uint64_t version() const { return storage_.version(); }
    [[nodiscard]] std::uint64_t address() const { return address_; }

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
  [[nodiscard]] const Shape& shape() const { return kernel_.shape; }
  [[nodiscard]] StreamMemory& stream_memory() { return kernel_.stream_memory; }
  [[nodiscard]] FrameMemory& frame_memory() { return kernel_.frame_memory; }
  [[nodiscard]] Memory& memory() { return memory_; }
  /// A constant that the kernel was compiled with; throws Error where it was not.
  [[nodiscard]] std::uint32_t constant(std::string_view name) const;
  /// The unit in which a chain's words count (kernels/offsets.h).
  [[nodiscard]] std::uint32_t offset_shift() const;
  /// Lets this group load and store from here on; groups go to the compute units in turn.
  void enter_group(std::uint32_t group) { memory_.enter(group); }
  /// Adds arithmetic that nothing overlaps, in cycles of the device's clock.
  void compute(double cycles) { cycles_ += cycles; }
  /// Adds arithmetic beside which other items' loads go on: the launch takes as long as the longer of the two.
  void compute_beside_streams(double cycles) { cycles_beside_streams_ += cycles; }
  [[nodiscard]] double cycles_beside_streams() const { return cycles_beside_streams_; }
  [[nodiscard]] double cycles() const { return cycles_; }
  [[nodiscard]] const ArithmeticRates& arithmetic_rates() const { return description_.arithmetic; }
  /// The core's counter, its low 32 bits: cycles of arithmetic since the device was opened.
  [[nodiscard]] std::uint32_t ticks() const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(cycles_before_ + cycles_));
  }
  [[nodiscard]] double ns_of(double cycles) const { return cycles * (1e3 / description_.clock_mhz); }
  /// Adds loads from the work-group's own memory, one after the other.
  void wait_for_local(std::uint64_t loads) { local_ns_ += description_.local_latency_ns * static_cast<double>(loads); }
  [[nodiscard]] double local_ns() const { return local_ns_; }

 private:
  Memory& memory_;
  std::span<Storage* const> buffers_;
  std::span<const std::uint32_t> scalars_;
  CompiledKernel& kernel_;
  const Description& description_;
  double cycles_before_;
  double cycles_ = 0;
  double cycles_beside_streams_ = 0;
  double local_ns_ = 0;
};

/// The third form of a kernel, beside OpenCL C and SPIR-V.
struct ReferenceKernel {
  std::string_view name;  ///< KernelSource::name
  std::size_t buffers;
  std::size_t scalars;
  void (*run)(Invocation& invocation);
};

// The references of kernels/NAME.cl that have files of their own. Those of the images are the same: the texture unit is
// as fast here as any other path.
void arithmetic(Invocation& invocation, NumberType type);
void chase_loaded(Invocation& invocation);
void frame_pass(Invocation& invocation);
void roofline(Invocation& invocation);
void stream_read(Invocation& invocation);
void stream_local(Invocation& invocation);
void stream_write(Invocation& invocation);
void stream_copy(Invocation& invocation);
void stream_add(Invocation& invocation);
void stream_add_dialled(Invocation& invocation);
void stream_triad(Invocation& invocation);

/// The reference of a kernel; throws Unsupported where there is none.
[[nodiscard]] const ReferenceKernel& reference_kernel(std::string_view name);

}  // namespace sonde::device::model
