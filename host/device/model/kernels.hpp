#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/model/description.hpp"
#include "device/model/memory.hpp"
#include "device/model/storage.hpp"
#include "device/number_arithmetic.hpp"

namespace sonde::device::model {

/// Hops that one trip of a walk's loop makes.
inline constexpr std::uint64_t hops_per_trip = 8;

/// The memory that a streaming kernel has of its launches, so that the host need not walk the same lap for ever. No
/// program could see a difference.
struct StreamMemory {
  std::vector<std::uint64_t> walk;  ///< buffers and geometry of these launches
  std::uint64_t trips = 0;          ///< trips made so far
  Traffic window;                   ///< traffic of the window that is being made
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

struct Invocation;

/// The third form of a kernel, beside OpenCL C and SPIR-V.
struct ReferenceKernel {
  std::string_view name;  ///< KernelSource::name
  std::size_t buffers;
  std::size_t scalars;
  void (*run)(Invocation& invocation);
  bool writes_later = false;  ///< it looks at no words itself: Unread does when they are wanted
};

/// The reference of a kernel; throws Unsupported where there is none.
[[nodiscard]] const ReferenceKernel& reference_kernel(std::string_view name);

/// A kernel as it was compiled and launched, and what it remembers.
struct ModelKernel : Kernel {
  ModelKernel(const ReferenceKernel& chosen, std::uint32_t items) : reference(chosen), group_size(items) {}

  const ReferenceKernel& reference;
  std::uint32_t group_size;
  std::uint32_t groups = 1;
  std::map<std::string, std::uint32_t, std::less<>> constants;
  bool is_launched = false;  ///< whether there was a launch before
  StreamMemory stream_memory;
  FrameMemory frame_memory;
};

/// One buffer of a launch; what it loads and stores goes through the caches. A word outside it throws Error.
class BufferWords {
 public:
  BufferWords(Memory& memory, Storage& storage)
      : memory_(memory), storage_(storage), count_(storage.size_bytes() / 4) {}

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
    storage_.changed(word, 1);
    *at(word) = value;
  }
  /// Makes `hops` loads, each of the word that the load before it named; returns what the last one read.
  [[nodiscard]] std::uint32_t follow(std::uint32_t offset, std::uint64_t hops, std::uint32_t offset_shift);
  /// Costs what it costs when many items move words side by side at once.
  void stream(std::uint64_t word, std::uint64_t count, Transfer transfer) {
    (void)part(word, count);
    memory_.stream(address() + word * 4, count * 4, transfer);
  }
  /// The words as they are in memory, at no cost.
  [[nodiscard]] const std::uint32_t* contents(std::uint64_t word, std::uint64_t count) const {
    return part(word, count);
  }
  /// The same, to be changed.
  [[nodiscard]] std::uint32_t* changed_contents(std::uint64_t word, std::uint64_t count) {
    storage_.changed(word, count);
    return part(word, count);
  }
  /// Has `compute` write parts of the buffer, from the words of `inputs`, when somebody wants to read them: so many
  /// words, read and written together. What it reaches must have been checked.
  template <typename Compute>
  void write_later(const std::vector<BufferWords>& inputs, std::vector<std::uint64_t> place, std::uint32_t first,
                   std::uint32_t count, std::uint32_t parts, std::uint64_t words, Compute compute) {
    Unread::Write write{&storage_, {}, std::move(place), first, count, parts, words, std::move(compute)};
    for (const BufferWords& input : inputs) write.inputs.push_back(&input.storage_);
    storage_.write_later(std::move(write));
  }
  /// A number that changes with the contents.
  [[nodiscard]] std::uint64_t version() const { return storage_.version(); }
  [[nodiscard]] std::uint64_t address() const { return storage_.address(); }

 private:
  std::uint32_t* part(std::uint64_t word, std::uint64_t count) const {
    if (count > count_ || word > count_ - count) throw_out_of_range(word + count - 1);
    return storage_.words() + word;
  }
  std::uint32_t* at(std::uint64_t word) {
    std::uint32_t* const found = part(word, 1);
    memory_.access(address() + word * 4);
    return found;
  }
  [[noreturn]] void throw_out_of_range(std::uint64_t word) const;

  Memory& memory_;
  Storage& storage_;
  std::uint64_t count_;
};

/// The device as a reference kernel sees it: words that cost time, scalars, and arithmetic, which it adds up here.
struct Invocation {
  Memory& memory;
  std::span<Storage* const> buffers;
  std::span<const std::uint32_t> scalars;
  ModelKernel& kernel;
  const Description& description;
  double cycles_before;              ///< arithmetic since the device was opened
  double cycles = 0;                 ///< arithmetic that nothing overlaps
  double cycles_beside_streams = 0;  ///< arithmetic beside which other items' loads go on: the longer counts
  double local_ns = 0;               ///< loads from the work-group's own memory, one after the other
  double loads_at_once = 1;          ///< loads that wait for memory at the same time, streams aside

  [[nodiscard]] BufferWords buffer(std::size_t argument) { return {memory, *buffers[argument]}; }
  [[nodiscard]] std::uint32_t scalar(std::size_t argument) const { return scalars[argument]; }
  /// A constant that the kernel was compiled with; throws Error where it was not.
  [[nodiscard]] std::uint32_t constant(std::string_view name) const;
  /// The unit in which a chain's words count (kernels/offsets.h).
  [[nodiscard]] std::uint32_t offset_shift() const;
  /// The core's counter, its low 32 bits: cycles of arithmetic since the device was opened.
  [[nodiscard]] std::uint32_t ticks() const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(cycles_before + cycles));
  }
  [[nodiscard]] double ns_of(double some_cycles) const { return some_cycles * (1e3 / description.clock_mhz); }
};

// The references of kernels/NAME.cl that are not in kernels.cpp. Those of the images are the same: the texture unit is
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

/// The walk that all streaming kernels share, as their first scalars have it; kernels/stream.h explains it. Throws
/// Error where it goes over no blocks.
struct SimulatedWalk {
  const Invocation& launched;
  std::uint32_t trips = launched.scalar(0);
  std::uint32_t start = launched.scalar(1);
  std::uint32_t blocks = launched.scalar(2);
  std::uint32_t block_step = launched.scalar(3);
  std::uint32_t group_step = launched.scalar(4);
  std::uint32_t group_offset = launched.scalar(5);
  std::uint32_t group_further = launched.scalar(6);
  std::uint32_t scatter = launched.scalar(7);

  explicit SimulatedWalk(const Invocation& invocation) : launched(invocation) {
    if (blocks == 0) throw Error("a stream over no blocks");
    if (!std::has_single_bit(scatter + 1) || blocks % (scatter + 1) != 0)
      throw Error("a stream whose blocks cannot be scattered so");
  }

  [[nodiscard]] std::uint32_t position(std::uint32_t group, std::uint32_t trip) const {
    const std::uint64_t first = std::uint64_t{group} * group_offset + std::min(group, group_further);
    return static_cast<std::uint32_t>((start + first + trip) % blocks);
  }
  /// The block at a position, among those of its group.
  [[nodiscard]] std::uint32_t scattered(std::uint32_t group, std::uint32_t position) const {
    return (position & ~scatter) | ((position * (group * 0x9E3779B2u + 1)) & scatter);
  }
  /// Calls `run` with the first block of each run that the positions from `begin` to before `end`, at most a lap, fall
  /// into, and with the block behind it.
  template <typename Run>
  void for_each_run(std::uint32_t group, std::uint64_t begin, std::uint64_t end, Run run) const {
    if (scatter == 0) {
      run(begin, std::min<std::uint64_t>(end, blocks));
      if (end > blocks) run(std::uint64_t{0}, end - blocks);
      return;
    }
    for (std::uint64_t at = begin; at < end; ++at) {
      const std::uint64_t block = scattered(group, static_cast<std::uint32_t>(at % blocks));
      run(block, block + 1);
    }
  }
  /// Whether all groups walk over the same.
  [[nodiscard]] bool is_shared() const { return group_step == 0; }
};

/// The walk of a streaming kernel with the blocks that its groups move.
struct SimulatedStream : SimulatedWalk {
  using SimulatedWalk::SimulatedWalk;

  std::uint32_t in_flight = launched.constant("IN_FLIGHT");
  std::uint32_t vector_words = launched.constant("VECTOR_WORDS");
  std::uint32_t group_size = launched.kernel.group_size;
  std::uint32_t groups = launched.kernel.groups;
  bool spread = launched.constant("SPREAD") != 0;

  [[nodiscard]] std::uint32_t row_words() const { return group_size * vector_words; }
  [[nodiscard]] std::uint32_t block_words() const { return row_words() * in_flight; }
  /// The number of pieces in which a block lies, and the words of each.
  [[nodiscard]] std::uint32_t pieces() const { return spread ? in_flight : 1; }
  [[nodiscard]] std::uint32_t piece_words() const { return spread ? row_words() : block_words(); }
  [[nodiscard]] std::uint64_t word_at(std::uint32_t group, std::uint32_t position, std::uint32_t piece) const {
    const std::uint32_t block = scattered(group, position);
    if (!spread) return std::uint64_t{group * group_step + block * block_step} * block_words();
    return std::uint64_t{group * group_step * in_flight + block + piece * blocks} * row_words();
  }
  /// The block at a position, counted through those of all groups; and the first word of one of its rows.
  [[nodiscard]] std::uint64_t block_at(std::uint32_t group, std::uint32_t position) const {
    return std::uint64_t{is_shared() ? 0 : group} * blocks + scattered(group, position);
  }
  [[nodiscard]] std::uint64_t row_at(std::uint64_t block, std::uint32_t row) const {
    const auto part = static_cast<std::uint32_t>(block / blocks);
    const auto position = static_cast<std::uint32_t>(block % blocks);  // the first of those that share keeps the order
    if (spread) return word_at(part, position, row);
    return word_at(part, position, 0) + std::uint64_t{row} * row_words();
  }
  /// Trips after which all groups together have touched everything.
  [[nodiscard]] std::uint32_t window() const { return is_shared() ? (blocks + groups - 1) / groups : blocks; }
  /// Trips after which the caches of single compute units, too, hold what they will.
  [[nodiscard]] std::uint64_t settled_after() const {
    constexpr std::uint64_t far_beyond_such_caches = 1 << 20;
    return is_shared() ? std::min<std::uint64_t>(blocks, far_beyond_such_caches / (std::uint64_t{block_words()} * 4))
                       : 0;
  }
};

/// One buffer's part in each trip.
struct Touch {
  BufferWords words;
  Transfer transfer;
  std::uint32_t shift = 0;
};

/// One trip of all groups through the caches.
void make_trip(Invocation& invocation, const SimulatedStream& stream, std::span<Touch> touches, std::uint32_t trip);

/// All trips of a dispatch, all groups side by side, through the caches; once one window is like the one before, the
/// rest follows from it, whether in this dispatch or in the next.
void make_trips(Invocation& invocation, const SimulatedStream& stream, std::vector<Touch> touches);

/// Whether two traffics differ by no more than chance in random replacement leaves.
bool alike(const Traffic& one, const Traffic& other);

/// The memory of launches like this one.
StreamMemory& memory_of(Invocation& invocation, const SimulatedStream& stream, std::span<const Touch> touches);

}  // namespace sonde::device::model
