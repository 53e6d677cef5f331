#pragma once

#include "device/number_arithmetic.hpp"
#include "measure/probe.hpp"
#include "measure/settle.hpp"

// Arithmetic by all of a device at once, or one step after the other: its rate, its latency, and the clock that it
// tells.
namespace sonde::workloads {

using device::NumberOperation;
using device::NumberType;

/// How arithmetic is divided among work-items and their registers.
struct ArithmeticShape {
  std::uint32_t width = 1;         ///< numbers in a vector: 1, 2, 4, in OpenCL up to 16
  std::uint32_t accumulators = 1;  ///< chains of vectors of one work-item: 1 … 8, 10 … 16
  bool paired = true;              ///< a chain of multiply-adds has two vectors, else one
  std::uint32_t unroll = 8;        ///< a trip makes twice as many steps of each accumulator: 1, 2, 4 … 32
  std::uint32_t group_size = 1;
  std::uint32_t groups = 1;

  std::array<device::Constant, 5> constants(NumberOperation operation) const {
    return {{{"OPERATION", static_cast<std::uint32_t>(operation)},
             {"ACCUMULATORS", accumulators},
             {"UNROLL", unroll},
             {"WIDTH", width},
             {"PAIRED", is_paired(operation) ? 1u : 0u}}};
  }
  /// Additions are of pairs, multiplications and functions of one number, multiply-adds either.
  bool is_paired(NumberOperation operation) const {
    return operation == NumberOperation::fma ? paired : operation == NumberOperation::add;
  }
  std::uint32_t items() const { return group_size * groups; }
  /// The numbers of one item, which are in registers.
  std::uint32_t numbers() const { return (paired ? 2 : 1) * accumulators * width; }
  /// The steps of single numbers that all items make in one trip.
  double numbers_per_trip() const { return 2.0 * unroll * accumulators * width * items(); }
  friend bool operator==(const ArithmeticShape&, const ArithmeticShape&) = default;
};

/// A shape as a record has it, and back.
measure::Shape named(const ArithmeticShape& shape);
ArithmeticShape arithmetic_shape_of(const measure::Shape& named);

/// Whether multiply-adds of the type may be of one number alone. Halves come back to where they were after a few steps,
/// and a dot product keeps too little of its four bytes.
inline bool can_be_alone(NumberType type) { return type != NumberType::fp16 && type != NumberType::four_bytes; }

/// The shape of another operation, in the registers of the one that multiply-adds were fastest in.
ArithmeticShape shape_for(NumberOperation operation, ArithmeticShape shape);

/// The chain of an operation, with operands that are neither zero nor one and by which it neither ends at a value nor
/// leaves the type's range. `variant` chooses among several of the same kind.
device::NumberChain chain_of(NumberType type, NumberOperation operation, bool paired, std::uint32_t variant = 0);
/// The scalars of such a dispatch, in the kernels' order.
std::vector<std::uint32_t> scalars(const device::NumberChain& chain, std::uint32_t trips, std::uint32_t salt);

/// The kernel of a type, compiled; throws Unsupported with the missing feature where the device lacks the type, or
/// where its compiler does not take it.
std::unique_ptr<device::Kernel> arithmetic_kernel(device::Device& device, NumberType type, NumberOperation operation,
                                                  const ArithmeticShape& shape);

/// The words that kernels/arithmetic.h must have left, found by making the same steps on the host.
class ArithmeticProof {
 public:
  ArithmeticProof(const device::NumberChain& chain, std::uint64_t seed);

  /// The chains' beginnings, in the order in which a kernel takes them.
  std::vector<std::uint32_t> start_words() const { return device::start_words(starts_); }

  /// Why `results`, two words for each item, are not what so many trips leave; empty where they are.
  std::optional<std::string> failure(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                     std::uint32_t trips, std::uint32_t salt);

 private:
  std::optional<std::string> mismatch(std::span<const std::uint32_t> results, const ArithmeticShape& shape,
                                      std::uint32_t trips, std::uint32_t salt) const;

  device::NumberChain chain_;
  std::vector<device::ArithmeticPair> starts_;
  device::Rounding rounding_;  ///< how the device was seen to round; tried first
};

/// Tells whether a CPU device's cores all worked for as long as a dispatch took: where another program has one, or two
/// of the driver's threads take turns on it, nothing else tells the rate, a half or less, from a slow device.
class BusyCores {
 public:
  /// `groups`: work-groups of a dispatch, which may be fewer than there are cores.
  BusyCores(const device::DeviceInfo& device, std::uint32_t groups);

  /// Makes the dispatch, which returns the device's own time for it.
  device::Nanoseconds during(const std::function<device::Nanoseconds()>& dispatch);

  /// Whether some core did not work through the last dispatch. Other devices never say so, nor where the system counts
  /// CPU time by ticks that are as long as a dispatch.
  [[nodiscard]] bool some_were_away() const { return some_were_away_; }

 private:
  std::uint32_t cores_;  ///< that work; 0 where nobody can tell
  bool some_were_away_ = false;
};

/// The same from the CPU time that all threads of this process had meanwhile.
bool some_were_away(std::uint32_t cores, double cpu_seconds, double passed_seconds);

/// The instruction of arithmetic that a driver's listing of a kernel has most of; empty where it has none.
std::string most_frequent_arithmetic(std::string_view listing);

/// Steps by all items, in Gop/s. Every dispatch is proved by a word of each item that tells all its accumulators.
measure::Workload arithmetic(device::Device& device, NumberType type, NumberOperation operation,
                             const ArithmeticShape& shape, std::uint64_t seed, std::uint32_t variant = 0);

/// One chain of dependent steps: ns for each.
measure::Workload dependent_arithmetic(device::Device& device, NumberType type, NumberOperation operation,
                                       std::uint64_t seed);

/// Multiply-adds of fp32 without a pause for so long, by the device's clock: in Gop/s a value for each dispatch, the
/// launches included. Every dispatch is proved.
measure::Workload sustained_arithmetic(device::Device& device, const ArithmeticShape& shape,
                                       device::Nanoseconds duration, std::uint64_t seed);

/// How far a search goes: the usual shapes alone, or from the best of them to neighbours, so many rounds.
struct ArithmeticSearch {
  int rounds = 0;
  std::function<void()> alive = [] {};  ///< called after each shape: drivers of CPUs take seconds to compile one
};

/// The fastest shape found. Throws as arithmetic_kernel() does, and device::Error where no shape runs.
ArithmeticShape search_arithmetic_shape(device::Device& device, NumberType type, NumberOperation operation,
                                        const ArithmeticSearch& search);

/// A chain of dependent arithmetic that touches no memory: its time follows the device's clock alone.
measure::Workload arithmetic_chain(device::Device& device);

/// Tells the device's core clock whenever it is called, by half a millisecond of arithmetic; itself empty where
/// cycles cannot be known. `read_mhz` asks the device's sensors. The device must outlive it.
std::function<std::optional<measure::CoreClock>()> core_clock_of(device::Device& device,
                                                                 const measure::Settled& settled,
                                                                 const std::function<std::optional<double>()>& read_mhz,
                                                                 const std::function<void()>& alive);

}  // namespace sonde::workloads
