#include "workloads/arithmetic/arithmetic_search.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/error.hpp"
#include "workloads/arithmetic/arithmetic_proof.hpp"
#include "workloads/arithmetic/finalists.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {
namespace {

/// A trial's timed dispatch lasts so long; on a CPU, that others may use, it is as long as a slice of its time at
/// least.
constexpr double trial_ns = 1.5e6;
constexpr double longest_trial_ns = 60e6;
/// As for streams: less is noise, and the first shapes are the usual ones.
constexpr double surely_better = 1.02;
constexpr double hopeless = 0.4;
/// Shapes that one search compiles, as a worker that says nothing for long is taken for hung.
constexpr std::size_t most_trials = 32;
/// Instructions of a loop's body: enough to hide the loop, few enough for the smallest instruction caches.
constexpr std::uint32_t body_instructions = 128;

/// How many numbers of a type one instruction works on at least, where a device packs them.
std::uint32_t packed(NumberType type) { return std::max(1u, 32 / device::facts_of(type).bits); }

/// A CPU's driver that runs items as lanes counts the trips of a loop and keeps masks for it, which takes longer to
/// hide.
constexpr std::uint32_t body_instructions_of_lanes = 256;

bool runs_items_as_lanes(const device::DeviceInfo& info) {
  return info.type == device::DeviceType::cpu && info.widest_load_bytes <= 16;
}

ArithmeticShape unrolled(ArithmeticShape shape, const device::DeviceInfo& info, std::uint32_t numbers_per_instruction) {
  const std::uint32_t most = runs_items_as_lanes(info) ? body_instructions_of_lanes : body_instructions;
  const std::uint32_t vectors = std::max(1u, shape.width / numbers_per_instruction);
  shape.unroll = 1;
  while (shape.unroll < 16 && 4 * shape.unroll * vectors * shape.accumulators <= most) shape.unroll *= 2;
  return shape;
}

class ArithmeticTrials {
 public:
  ArithmeticTrials(device::Device& device, NumberType type, Operation operation)
      : device_(device),
        type_(type),
        operation_(operation),
        starts_(device.make_buffer(device::start_words_count * sizeof(std::uint32_t))) {
    const std::vector<std::uint32_t> words = ArithmeticProof(chain_of(type, operation, true), 1).start_words();
    starts_->write(0, std::as_bytes(std::span(words)));
  }

  /// Numbers a nanosecond; 0 for a shape that the device refuses. One far behind `best` is not measured any closer.
  double speed(const ArithmeticShape& shape, double best) {
    const auto known = std::ranges::find(tried_, shape, &Tried::shape);
    if (known != tried_.end()) return known->speed;
    if (tried_.size() == most_trials) return 0;
    Tried& one = tried_.emplace_back(Tried{.shape = shape, .kernel = nullptr});
    try {
      one.kernel = arithmetic_kernel(device_, type_, operation_, shape);
      one.speed = timed(one, best);
    } catch (const device::Lost&) {
      throw;
    } catch (const device::Error& error) {
      if (!failure_) failure_ = error.what();
    }
    return one.speed;
  }

  /// The fastest once the finalists were timed again, but `usual` where that is about as fast.
  ArithmeticShape fastest(const ArithmeticShape& usual) {
    std::vector<Tried*> all;
    for (Tried& one : tried_) all.push_back(&one);
    time_fastest_again(std::move(all), finalists, hopeless, [this](const Tried& one) { return timed(one, 0); });
    const auto found = std::ranges::max_element(tried_, {}, &Tried::speed);
    return found->speed > surely_better * speed(usual, 0) ? found->shape : usual;
  }

  [[noreturn]] void give_up() const {
    throw device::Error(failure_.value_or("no shape of the arithmetic kernel runs on this device"));
  }

 private:
  struct Tried {
    ArithmeticShape shape;
    std::unique_ptr<device::Kernel> kernel;
    double speed = 0;
  };

  double timed(const Tried& tried, double best) {
    const ArithmeticShape& shape = tried.shape;
    const auto results = device_.make_buffer(2 * sizeof(std::uint32_t) * std::uint64_t{shape.items()});
    const auto run = [&, chain = chain_of(type_, operation_, shape.is_paired(operation_))](std::uint32_t trips) {
      return device_
          .run(*tried.kernel,
               {.buffers = {starts_.get(), results.get()}, .scalars = scalars(chain, trips, 0), .groups = shape.groups})
          .count();
    };
    (void)run(1);  // compiles
    double launch_ns = run(1);
    const std::uint32_t most = device_.info().most_trips;
    std::uint32_t trips = 8;
    double ns = run(trips);
    while (ns - launch_ns < trial_ns && trips < most) {
      const double wanted = trips * trial_ns / std::max(ns - launch_ns, trial_ns / 16);
      trips = static_cast<std::uint32_t>(
          std::clamp<double>(wanted * 1.2, trips + 1.0, std::min(16.0 * trips, static_cast<double>(most))));
      ns = run(trips);
    }
    const auto numbers = [&](double time_ns) {
      return shape.numbers_per_trip() * (trips - 1) / std::max(time_ns - launch_ns, 1.0);
    };
    if (numbers(ns) < hopeless * best || ns > longest_trial_ns) return numbers(ns);
    for (int again = 0; again < 3; ++again) {
      ns = std::min(ns, run(trips));
      launch_ns = std::min(launch_ns, run(1));
    }
    return numbers(ns);
  }

  device::Device& device_;
  NumberType type_;
  Operation operation_;
  std::unique_ptr<device::Buffer> starts_;
  std::vector<Tried> tried_;
  std::optional<std::string> failure_;
};

/// Where a search begins. A GPU has many items, and hides latency by them or by accumulators; vectors let it pack
/// narrow numbers, and issue two at once. A CPU's driver has one item a core that works on the widest vectors, of which
/// as many accumulators as its registers hold hide the latency; or it runs items of a group as its vectors' lanes.
std::vector<ArithmeticShape> usual_shapes(const device::DeviceInfo& info, NumberType type) {
  const std::uint32_t units = compute_units_of(info);
  std::vector<ArithmeticShape> shapes;
  if (info.type != device::DeviceType::cpu) {
    const std::uint32_t pack = std::min(4u, packed(type));
    const std::uint32_t group = std::min(256u, info.largest_group_size);
    for (const auto& [width, accumulators] :
         {std::pair{pack, 4u}, std::pair{pack, 1u}, std::pair{std::min(4u, 2 * pack), 4u}, std::pair{pack, 8u}}) {
      shapes.push_back(
          unrolled({.width = width, .accumulators = accumulators, .group_size = group, .groups = 8 * units}, info,
                   packed(type)));
    }
    return shapes;
  }
  const bool alone = can_be_alone(type);
  constexpr std::uint32_t widest_register_bits = 512;
  const std::uint32_t lanes = std::min(16u, widest_register_bits / device::facts_of(type).bits);
  const bool by_lanes = runs_items_as_lanes(info);
  const std::uint32_t width = by_lanes ? 1 : lanes;
  const std::uint32_t group = by_lanes ? std::min(16u, info.largest_group_size) : 1;
  // Twelve registers suit a CPU of 32, and one of sixteen where a number takes one of them; six where it takes two.
  for (const std::uint32_t accumulators : {12u, by_lanes ? 8u : 6u}) {
    shapes.push_back(unrolled({.width = width,
                               .accumulators = alone ? accumulators : accumulators / 2,
                               .paired = !alone,
                               .group_size = group,
                               .groups = units},
                              info, width));
  }
  return shapes;
}

/// The shapes that differ in one number.
std::vector<ArithmeticShape> nearby(const ArithmeticShape& shape, const device::DeviceInfo& info, NumberType type) {
  std::vector<ArithmeticShape> all;
  const std::uint32_t pack = std::min(packed(type), shape.width);
  const auto with = [&](auto change) {
    ArithmeticShape one = shape;
    change(one);
    all.push_back(one.width * one.accumulators == shape.width * shape.accumulators ? one : unrolled(one, info, pack));
  };
  const std::uint32_t widest = info.widest_load_bytes > 16 ? 16 : 4;
  for (const std::uint32_t accumulators : {1u, 2u, 3u, 4u, 6u, 8u, 10u, 12u, 16u}) {
    const bool near = 2 * accumulators >= shape.accumulators && accumulators <= 2 * shape.accumulators;
    if (near && accumulators != shape.accumulators)
      with([=](ArithmeticShape& one) { one.accumulators = accumulators; });
  }
  if (can_be_alone(type)) with([](ArithmeticShape& one) { one.paired = !one.paired; });
  if (2 * shape.width <= widest) with([](ArithmeticShape& one) { one.width *= 2; });
  if (shape.width > 1) with([](ArithmeticShape& one) { one.width /= 2; });
  if (shape.group_size * 2 <= info.largest_group_size) with([](ArithmeticShape& one) { one.group_size *= 2; });
  if (shape.group_size >= 2) with([](ArithmeticShape& one) { one.group_size /= 2; });
  with([](ArithmeticShape& one) { one.groups *= 2; });
  if (shape.groups / 2 >= compute_units_of(info)) with([](ArithmeticShape& one) { one.groups /= 2; });
  if (shape.unroll < 32) with([](ArithmeticShape& one) { one.unroll *= 2; });
  if (shape.unroll > 1) with([](ArithmeticShape& one) { one.unroll /= 2; });
  return all;
}

}  // namespace

ArithmeticShape search_arithmetic_shape(device::Device& device, NumberType type, Operation operation,
                                        const ArithmeticSearch& search) {
  ArithmeticTrials trials(device, type, operation);
  ArithmeticShape best;
  double speed = 0;
  const auto consider = [&](const ArithmeticShape& shape) {
    const double found = trials.speed(shape, speed);
    search.alive();
    if (found <= surely_better * speed) return false;
    best = shape;
    speed = found;
    return true;
  };
  for (const ArithmeticShape& shape : usual_shapes(device.info(), type)) consider(shape);
  if (speed == 0) trials.give_up();
  for (int round = 0; round < search.rounds; ++round) {
    bool better = false;
    for (const ArithmeticShape& shape : nearby(best, device.info(), type)) better = consider(shape) || better;
    if (!better) break;
  }
  return trials.fastest(best);
}

}  // namespace sonde::workloads
