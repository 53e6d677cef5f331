#include "workloads/stream/shape_search.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/error.hpp"
#include "workloads/arithmetic/finalists.hpp"
#include "workloads/stream/noise.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {
namespace {

constexpr double stretch_ns = 2e6;
/// No trial may take longer, however slow its shape is on this device.
constexpr double longest_ns = 60e6;
/// A shape has to be so much better to be taken: less is noise, and the first shapes are the usual ones.
constexpr double clearly_better = 1.03;
/// Caches that are not filled yet do not make one slower than this.
constexpr double far_behind = 0.4;
constexpr int most_rounds = 3;
/// How far behind the first a moment in which others used the machine is thought to set a shape.
constexpr double set_back = 0.1;

/// Times shapes on the same memory.
class Trials {
 public:
  Trials(device::Device& device, const PatternFacts& facts, Sharing sharing, std::uint64_t bytes)
      : device_(device),
        facts_(facts),
        sharing_(sharing),
        array_bytes_(bytes / facts_.arrays),
        // Whole texels: a shape may leave a little of them out.
        buffer_bytes_((array_bytes_ + 15) / 16 * 16),
        use_(use_for(device.info(), buffer_bytes_)),
        most_trips_(most_trips_of(facts_, device.info())) {
    check_path(facts_, device.info());
    for (std::uint32_t array = 0; array < facts_.arrays; ++array) {
      arrays_.push_back(device.make_buffer(buffer_bytes_, use_of_arrays(facts_, use_)));
      (void)write_noise(*arrays_.back(), Noise(array), 2);
    }
  }

  /// Bytes a nanosecond; 0 for a shape that the device refuses. One far behind `best` is not measured any closer.
  double speed(StreamShape shape, double best) {
    shape = fitted(shape, sharing_, array_bytes_);
    const auto [entry, is_new] = tried_.try_emplace(named(shape));
    Tried& one = entry->second;
    if (!is_new) return one.speed;
    one.shape = shape;
    try {
      one.kernel = device_.make_kernel(facts_.kernel, shape.group_size, shape.constants());
      one.speed = timed(one, best);
    } catch (const device::Lost&) {
      throw;
    } catch (const device::Error& error) {
      // A driver may lack the registers or the memory for one shape and run all others.
      if (!failure_) failure_ = error.what();
    } catch (const device::Unsupported&) {
    }
    return one.speed;
  }

  /// Where none of them ran: the first failure is why.
  [[noreturn]] void give_up() const {
    if (failure_) throw device::Error(*failure_);
    throw device::Unsupported("no shape of the streaming kernel runs on this device");
  }

  void again(std::size_t count) {
    std::vector<Tried*> all;
    for (auto& [key, one] : tried_) all.push_back(&one);
    time_fastest_again(std::move(all), count, set_back, [this](const Tried& one) { return timed(one, 0); });
  }

 private:
  struct Tried {
    StreamShape shape;
    double speed = 0;
    std::unique_ptr<device::Kernel> kernel;
  };

  double timed(const Tried& tried, double best) {
    const StreamShape& shape = tried.shape;
    const StreamWalk walk(shape, sharing_, array_bytes_);
    check_part(facts_, walk);
    const auto sums = device_.make_buffer(std::uint64_t{shape.group_size} * shape.groups * sizeof(std::uint32_t), use_);
    std::uint64_t turn = 0;
    const auto run = [&](std::uint32_t trips) {
      std::vector<std::uint32_t> scalars = walk.scalars(trips, turn);
      if (facts_.writes) scalars.push_back(0);
      if (facts_.pattern == Pattern::triad) scalars.push_back(1);
      std::vector<device::Buffer*> buffers;
      for (const auto& array : arrays_) buffers.push_back(array.get());
      if (!facts_.writes) buffers.push_back(sums.get());
      turn += trips;
      return device_.run(*tried.kernel, {.buffers = buffers, .scalars = scalars, .groups = shape.groups}).count();
    };
    (void)run(1);  // compiles
    const double launch_ns = run(1);
    const std::uint32_t most = most_trips_;
    std::uint32_t trips = 8;
    double ns = run(trips);
    while (ns - launch_ns < stretch_ns && trips < most) {
      const double wanted = trips * stretch_ns / std::max(ns - launch_ns, stretch_ns / 16);
      trips =
          static_cast<std::uint32_t>(std::clamp<double>(wanted * 1.2, trips + 1.0, std::min(16.0 * trips, most * 1.0)));
      ns = run(trips);
    }
    const double moved = static_cast<double>(walk.trip_bytes()) * facts_.arrays;
    const double first_speed = moved * (trips - 1) / std::max(ns - launch_ns, 1.0);
    if (first_speed < far_behind * best) return first_speed;
    // A lap, so that what a cache can hold is in it; then the fastest of three, as others only slow.
    const double lap_ns = ns / trips * walk.blocks;
    if (lap_ns > ns)
      (void)run(static_cast<std::uint32_t>(std::min<double>({walk.blocks * 1.0, most * 1.0, longest_ns / ns * trips})));
    for (int again = 0; again < 3; ++again) ns = again == 0 ? run(trips) : std::min(ns, run(trips));
    // A launch that others slowed would make the shape faster than it is.
    return moved * (trips - 1) / std::max(ns - std::min(launch_ns, run(1)), 1.0);
  }

  device::Device& device_;
  const PatternFacts& facts_;
  Sharing sharing_;
  std::uint64_t array_bytes_;
  std::uint64_t buffer_bytes_;
  device::Use use_;
  std::uint32_t most_trips_;
  std::vector<std::unique_ptr<device::Buffer>> arrays_;
  std::map<measure::Shape, Tried> tried_;
  std::optional<std::string> failure_;
};

/// Where a search begins: many items side by side in many groups, as GPUs want it, and one item a processor that walks
/// a part of its own with the widest loads, as CPUs do; of which memory wants several streams at once. A CPU's driver
/// may also run as many items in step as its vectors have lanes, and a group's others behind them.
std::vector<Shape> beginnings(const device::DeviceInfo& info, std::uint32_t widest_words, Sharing sharing) {
  constexpr std::uint32_t lanes = 8;
  const std::uint32_t units = compute_units_of(info);
  const StreamShape one{.group_size = 1, .groups = units, .vector_words = widest_words, .in_flight = 8};
  std::vector<Shape> all{{.group_size = std::min(256u, info.largest_group_size),
                          .groups = 4 * units,
                          .vector_words = 4,
                          .in_flight = 4,
                          .scattered = is_scattered(info, sharing)},
                         one};
  if (info.type != device::DeviceType::cpu) return all;
  all.push_back(one);
  all.back().spread = true;
  if (info.largest_group_size < lanes) return all;
  all.push_back({.group_size = lanes, .groups = units, .vector_words = 4, .in_flight = 8});
  all.push_back(all.back());
  all.back().spread = true;
  return all;
}

/// The shapes that differ in one number.
std::vector<Shape> neighbours(const StreamShape& shape, const device::DeviceInfo& info, Sharing sharing) {
  std::vector<Shape> all;
  const auto with = [&](auto change) {
    all.push_back(shape);
    change(all.back());
  };
  for (const std::uint32_t in_flight : {1u, 2u, 4u, 8u, 16u}) {
    if (in_flight == 2 * shape.in_flight || 2 * in_flight == shape.in_flight) {
      with([=](StreamShape& one) { one.in_flight = in_flight; });
    }
  }
  if (shape.vector_words * 8 <= info.widest_load_bytes) with([](StreamShape& one) { one.vector_words *= 2; });
  if (shape.vector_words > 4) with([](StreamShape& one) { one.vector_words /= 2; });
  if (shape.group_size * 4 <= info.largest_group_size) with([](StreamShape& one) { one.group_size *= 4; });
  if (shape.group_size >= 4) with([](StreamShape& one) { one.group_size /= 4; });
  with([](StreamShape& one) { one.groups *= 2; });
  // Never fewer than compute units: on a machine that others use, less could look like more.
  if (shape.groups / 2 >= compute_units_of(info)) with([](StreamShape& one) { one.groups /= 2; });
  if (sharing == Sharing::separate && !shape.spread) with([](StreamShape& one) { one.interleaved = !one.interleaved; });
  if (shape.in_flight > 1 && !shape.interleaved) with([](StreamShape& one) { one.spread = !one.spread; });
  return all;
}

}  // namespace

StreamShape search_shape(device::Device& device, Pattern pattern, Sharing sharing, std::uint64_t bytes,
                         SearchDepth depth, measure::Path path) {
  const PatternFacts& facts = facts_of(pattern, path);
  const std::uint64_t array_bytes = bytes / facts.arrays;
  const std::vector<Shape> usual = beginnings(device.info(), widest_vector_words(facts, device.info()), sharing);
  if (depth == SearchDepth::none) return fitted(usual.front(), sharing, array_bytes);
  // A simulated device's rates are what its file says, in whatever shape.
  const bool simulated = device.info().type == device::DeviceType::model;
  const bool only_usual = simulated || depth == SearchDepth::usual;
  const int rounds = only_usual ? 0 : depth == SearchDepth::full ? most_rounds : 1;
  Trials trials(device, facts, sharing, bytes);
  StreamShape best;
  double speed = 0;
  const auto consider = [&](const StreamShape& shape) {
    const double found = trials.speed(shape, speed);
    if (found <= clearly_better * speed) return false;
    best = shape;
    speed = found;
    return true;
  };
  std::vector<Shape> considered = usual;
  const auto reconsider = [&](std::size_t count) {
    if (simulated) return;
    trials.again(count);
    speed = 0;
    for (const StreamShape& shape : considered) consider(shape);
  };
  for (const StreamShape& beginning : usual) consider(beginning);
  if (speed == 0) trials.give_up();
  reconsider(usual.size());
  for (int round = 0; round < rounds; ++round) {
    bool better = false;
    for (const StreamShape& shape : neighbours(best, device.info(), sharing)) {
      considered.push_back(shape);
      better = consider(shape) || better;
    }
    if (!better) break;
  }
  if (rounds > 0) reconsider(finalists);
  return fitted(best, sharing, array_bytes);
}

}  // namespace sonde::workloads
