#include "workloads/arithmetic/arithmetic.hpp"

#include "kernels.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

/// Each dispatch begins so many starts further; few starts are different, as the host follows each of them.
constexpr std::uint32_t salt_step = 8;

/// The kernels in the order of their types.
constexpr std::array<const device::KernelSource*, device::number_types.size()> sources{
    &kernels::arithmetic_fp64,  &kernels::arithmetic_fp32,  &kernels::arithmetic_fp16, &kernels::arithmetic_int64,
    &kernels::arithmetic_int32, &kernels::arithmetic_int16, &kernels::arithmetic_int8, &kernels::arithmetic_dot4};

struct Arithmetic {
  device::Device& device;
  ArithmeticShape shape;
  std::unique_ptr<device::Kernel> kernel;
  device::NumberChain chain;
  ArithmeticProof proof;
  BusyCores cores;
  std::unique_ptr<device::Buffer> starts;
  std::unique_ptr<device::Buffer> results;
  std::vector<std::uint32_t> found;
  std::uint32_t trips = 0;
  std::uint32_t salt = 0;

  Arithmetic(device::Device& on, NumberType type, NumberOperation operation, const ArithmeticShape& of,
             std::uint64_t seed, std::uint32_t variant)
      : device(on),
        shape(of),
        kernel(arithmetic_kernel(on, type, operation, of)),
        chain(chain_of(type, operation, of.is_paired(operation), variant)),
        proof(chain, seed),
        cores(on.info(), of.groups),
        found(2 * std::size_t{of.items()}) {
    const std::vector<std::uint32_t> words = proof.start_words();
    starts = on.make_buffer(words.size() * sizeof words[0]);
    starts->write(0, std::as_bytes(std::span(words)));
    results = on.make_buffer(found.size() * sizeof found[0]);
    results->write(0, std::as_bytes(std::span(found)));
  }

  device::Nanoseconds run(std::uint64_t wanted_trips) {
    trips = static_cast<std::uint32_t>(wanted_trips);
    salt += salt_step;
    return cores.during([&] {
      return device.run(
          *kernel,
          {.buffers = {starts.get(), results.get()}, .scalars = scalars(chain, trips, salt), .groups = shape.groups});
    });
  }

  std::optional<std::string> proof_failure() {
    results->read(0, std::as_writable_bytes(std::span(found)));
    return proof.failure(found, shape, trips, salt);
  }
};

}  // namespace

measure::Shape named(const ArithmeticShape& shape) {
  return {{"width", shape.width},   {"accumulators", shape.accumulators}, {"paired", shape.paired ? 1 : 0},
          {"unroll", shape.unroll}, {"group_size", shape.group_size},     {"groups", shape.groups}};
}

ArithmeticShape arithmetic_shape_of(const measure::Shape& named) {
  const auto whole = [&named](const char* name) {
    const auto found = named.find(name);
    return found == named.end() ? 1u : static_cast<std::uint32_t>(found->second);
  };
  return {.width = whole("width"),
          .accumulators = whole("accumulators"),
          .paired = whole("paired") != 0,
          .unroll = whole("unroll"),
          .group_size = whole("group_size"),
          .groups = whole("groups")};
}

ArithmeticShape shape_for(NumberOperation operation, ArithmeticShape shape) {
  const bool paired = shape.is_paired(operation);
  if (paired && !shape.paired) shape.accumulators = std::max(1u, shape.accumulators / 2);
  shape.paired = paired;
  return shape;
}

device::NumberChain chain_of(NumberType type, NumberOperation operation, bool paired, std::uint32_t variant) {
  if (!device::facts_of(type).floating) {
    // Odd operands lose no bit, and those with ones and zeros everywhere are not easy to multiply by.
    constexpr std::array<std::uint64_t, 3> odd{0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0xFF51AFD7ED558CCDu};
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - device::facts_of(type).bits);
    return {type, operation, paired, {odd[variant % odd.size()] & mask, odd[(variant + 1) % odd.size()] & mask}};
  }
  constexpr std::array<double, 3> angles{0.3142, 0.7391, 0.5571};
  constexpr std::array<double, 3> factors{1.3247, 1.6180, 0.7549};
  const double angle = angles[variant % angles.size()];
  const double factor = factors[variant % factors.size()];
  // x * x + c stays between c and c * c + c, and goes through hundreds of values before any comes again, in
  // single precision too. No number's square is rounded to -c, so that x is never zero, nor its square denormal.
  constexpr std::array<double, 3> addends{-1.8693, -1.5933, -1.9315};
  const double addend = addends[variant % addends.size()];
  const auto by = [&](double first, double second) {
    return device::NumberChain{type, operation, paired, {device::bits_of(type, first), device::bits_of(type, second)}};
  };
  switch (operation) {
    case NumberOperation::fma: return paired ? by(angle, -angle) : by(addend, addend);
    case NumberOperation::add: return by(angle, -angle);
    // A half's product is rounded too coarsely: what the one takes the other would not give back.
    case NumberOperation::multiply: return type == NumberType::fp16 ? by(2, 0.5) : by(factor, 1 / factor);
    default: return by(0.5 + angle, 0.9 + angle / 2);
  }
}

std::vector<std::uint32_t> scalars(const device::NumberChain& chain, std::uint32_t trips, std::uint32_t salt) {
  const auto low = [](std::uint64_t words) { return static_cast<std::uint32_t>(words); };
  const auto high = [](std::uint64_t words) { return static_cast<std::uint32_t>(words >> 32); };
  const auto& [first, second] = chain.operands;
  return {trips, salt, low(first), high(first), low(second), high(second)};
}

std::unique_ptr<device::Kernel> arithmetic_kernel(device::Device& device, NumberType type, NumberOperation operation,
                                                  const ArithmeticShape& shape) {
  const std::map<std::string, device::MissingType>& missing = device.info().missing_types;
  const auto lacks = missing.find(std::string(device::facts_of(type).name));
  if (lacks != missing.end() && !lacks->second.worth_a_try) throw device::Unsupported(lacks->second.reason);
  try {
    return device.make_kernel(*sources[static_cast<std::size_t>(type)], shape.group_size, shape.constants(operation));
  } catch (const device::Lost&) {
    throw;
  } catch (const device::Error&) {
    if (lacks == missing.end()) throw;
    throw device::Unsupported(lacks->second.reason + ". Its compiler, asked all the same, does not take the type");
  }
}

measure::Workload arithmetic(device::Device& device, NumberType type, NumberOperation operation,
                             const ArithmeticShape& shape, std::uint64_t seed, std::uint32_t variant) {
  const auto work = std::make_shared<Arithmetic>(device, type, operation, shape, seed, variant);
  // A fused multiply-add counts as two operations, of each of a number's parts.
  const double operations =
      (operation == NumberOperation::fma ? 2 : 1) * device::facts_of(type).parts * shape.numbers_per_trip();
  return {.work = stepped(work, {.most = device.info().most_trips,
                                 .interrupted = [work] { return work->cores.some_were_away(); },
                                 .value = [operations](double nanoseconds) { return operations / nanoseconds; }}),
          .instruction = most_frequent_arithmetic(work->kernel->listing()),
          .shape = named(shape)};
}

measure::Workload dependent_arithmetic(device::Device& device, NumberType type, NumberOperation operation,
                                       std::uint64_t seed) {
  const ArithmeticShape shape = shape_for(operation, {.unroll = 32, .group_size = single_item_group(device.info())});
  const auto work = std::make_shared<Arithmetic>(device, type, operation, shape, seed, 0);
  const std::uint64_t steps = std::uint64_t{2} * shape.unroll;
  measure::SteppedWork dependent = stepped(
      work, {.quantum = steps, .most = std::min<std::uint64_t>(device.info().most_trips, most_steps / steps) * steps});
  dependent.run = [work, steps](std::uint64_t wanted) { return work->run(wanted / steps); };
  return {.work = std::move(dependent),
          .instruction = most_frequent_arithmetic(work->kernel->listing()),
          .one_core = true,
          .shape = named(shape)};
}

measure::Workload sustained_arithmetic(device::Device& device, const ArithmeticShape& shape,
                                       device::Nanoseconds duration, std::uint64_t seed) {
  measure::Workload all = arithmetic(device, NumberType::fp32, NumberOperation::fma, shape, seed);
  all.work = measure::SelfTimedWork{[once = std::get<measure::SteppedWork>(all.work), duration](
                                        const measure::Limits&, const std::function<void()>& alive) {
    // A dispatch is long beside a launch and short beside a second, or makes as many trips as one may.
    constexpr device::Nanoseconds least_dispatch{20e6};
    measure::Repetitions found{.steps = std::min<std::uint64_t>(64, once.most)};
    while (found.steps < once.most && once.run(found.steps) < least_dispatch)
      found.steps = std::min(once.most, 2 * found.steps);
    for (double spent_ns = 0; spent_ns < duration.count();) {
      const double ns = once.run(found.steps).count();
      if (const auto failure = once.proof_failure()) throw device::Error(*failure);
      found.values.push_back(once.value(ns / static_cast<double>(found.steps)));
      spent_ns += std::max(ns, 1.0);
      alive();
    }
    return found;
  }};
  return all;
}

}  // namespace sonde::workloads
