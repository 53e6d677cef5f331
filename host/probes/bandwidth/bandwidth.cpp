// How many gigabytes a second can be read from each level of the memory, and written to it?
// docs/method/bandwidth.md explains it.

#include "probes/bandwidth/bandwidth.hpp"

#include "cpu/topology.hpp"
#include "kernels.hpp"
#include "probes/catalog.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::probes {
namespace {

using workloads::StreamShape;

constexpr std::array curves{&bandwidth_probe::stream, &bandwidth_probe::on_the_bus, &bandwidth_probe::image_stream,
                            &bandwidth_probe::local_stream, &bandwidth_probe::empty_dispatch};
constexpr std::array finding_kinds{&bandwidth_probe::launch, &bandwidth_probe::saturated_by,
                                   &bandwidth_probe::suspicious};

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  return measure::first_new_points(
      request, known, [&] { return search_points(device, request); },
      [&] { return points_within_levels(device, request, known); },
      [&] { return sweep_points(device, request, known); }, [&] { return closer_points(device, request, known); },
      [&] { return scaling_points(known); });
}

/// Throws where the working set that is asked for cannot be cut into whole blocks, and says which can.
void check_asked_for(const Request& request, const Point& point) {
  if (is_asked_for(request, point.x.bytes.value())) return;
  const workloads::PatternFacts& facts = workloads::facts_of(point.words);
  const std::string whose = point.words.sharing == Sharing::shared ? "array" : "compute unit";
  const std::string arrays = facts.arrays > 1 ? "'s " + std::to_string(facts.arrays) + " arrays" : "";
  throw device::Unsupported("no size within --sizes gives each " + whose + " whole blocks of " +
                            std::string(measure::word_of(facts.pattern)) + arrays + "; " +
                            size_text(point.x.bytes.value()) + " would be one");
}

/// The fastest shape for the point's working set, each group with a part of its own; made one in which all share the
/// set where the point says so. Each compute unit has all of such a set, so that parts may be no smaller than nearest
/// caches take, and are equal.
StreamShape searched_shape(device::Device& device, const Point& point, const Request& request) {
  const device::DeviceInfo& info = device.info();
  const workloads::PatternFacts& facts = workloads::facts_of(point.words);
  const bool is_shared = point.words.sharing == Sharing::shared;
  double bytes = point.x.bytes.value();
  if (is_shared) {
    const double least = bandwidth_probe::nearest_bytes * workloads::compute_units_of(info);
    const Words parts{.pattern = facts.pattern, .sharing = Sharing::separate};
    bytes = stream_point(info, bandwidth_probe::stream, parts, std::max(bytes, least)).x.bytes.value();
  }
  const auto depth = facts.path == Path::buffer ? search_depth(info, request.look) : workloads::SearchDepth::usual;
  const StreamShape found = workloads::search_shape(device, facts.pattern, Sharing::separate,
                                                    static_cast<std::uint64_t>(bytes), depth, facts.path);
  return is_shared ? workloads::shape_of(shared_shape(info, workloads::named(found))) : found;
}

/// Whether every line is known to be fetched before it is written: on a CPU, whose kernels store as any program does,
/// where no cache can have kept the line.
bool fetches_what_it_writes(const device::DeviceInfo& device, const workloads::PatternFacts& facts,
                            std::uint64_t bytes) {
  constexpr std::uint64_t far_beyond = 2;
  if (device.type != device::DeviceType::cpu || !facts.writes) return false;
  const std::uint64_t caches = cpu::furthest_caches_bytes(cpu::machine());
  return caches > 0 && bytes > far_beyond * caches;
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  conclude_levels(request, measurements, conclusion);
  if (auto found = launch_cost(measurements)) conclusion.findings.push_back(*std::move(found));
  conclusion.add(more_than_from_nearer(measurements));
  conclusion.add(
      more_than_memory_moves(measurements, knows_caches(request) ? request.levels_by_latency : conclusion.levels));
  conclusion.add(saturations(measurements));
  return conclusion;
}

constexpr std::uint64_t most_dispatches = 64;
constexpr std::uint32_t never_written = 0xFFFFFFFFu;

/// Dispatches of the reading kernel that make no trip. Every item's sum of nothing is checked.
struct EmptyDispatch {
  device::Device& device;
  workloads::StreamWalk walk;
  device::Use use;
  std::unique_ptr<device::Kernel> kernel;
  std::unique_ptr<device::Buffer> array;
  std::unique_ptr<device::Buffer> sums;
  std::vector<std::uint32_t> words;

  EmptyDispatch(device::Device& on, const StreamShape& shape)
      : device(on),
        walk(shape, Sharing::shared, std::uint64_t{shape.block_words()} * sizeof(std::uint32_t)),
        use(workloads::use_for(on.info(),
                               std::max<std::uint64_t>(walk.array_bytes(), items() * sizeof(std::uint32_t)))),
        kernel(on.make_kernel(kernels::stream_read, shape.group_size, shape.constants())),
        array(on.make_buffer(walk.array_bytes(), use)),
        sums(on.make_buffer(items() * sizeof(std::uint32_t), use)),
        words(items()) {}

  std::uint64_t items() const { return std::uint64_t{walk.shape.group_size} * walk.shape.groups; }

  device::Nanoseconds run(std::uint64_t dispatches) {
    std::ranges::fill(words, never_written);
    sums->write(0, std::as_bytes(std::span(words)));
    device::Nanoseconds time{0};
    for (std::uint64_t i = 0; i < dispatches; ++i) {
      time += device.run(
          *kernel, {.buffers = {array.get(), sums.get()}, .scalars = walk.scalars(0, 0), .groups = walk.shape.groups});
    }
    if (dispatches == most_dispatches && time.count() <= 0) {
      throw device::Unsupported("an empty dispatch takes no time by this device's clock");
    }
    return time;
  }

  std::optional<std::string> proof_failure() {
    sums->read(0, std::as_writable_bytes(std::span(words)));
    if (std::ranges::all_of(words, [](std::uint32_t word) { return word == 0; })) return std::nullopt;
    return "a work-item of an empty dispatch did not run, or added something up; please report the driver";
  }
};

}  // namespace

Workload bandwidth_probe::prepare_stream(device::Device& device, const Point& point, const Request& request) {
  check_asked_for(request, point);
  const workloads::PatternFacts& facts = workloads::facts_of(point.words);
  const Sharing sharing = point.words.sharing.value();
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const StreamShape wish =
      point.shape.empty() ? searched_shape(device, point, request) : workloads::shape_of(point.shape);
  const StreamShape shape = workloads::fitted(wish, sharing, bytes / facts.arrays);
  Workload workload = workloads::stream(device, facts.pattern, sharing, shape, bytes, request.seed, {}, facts.path);
  if (fetches_what_it_writes(device.info(), facts, bytes)) {
    const double more = 1 + 1.0 / facts.arrays;
    auto& steps = std::get<SteppedWork>(workload.work);
    steps.derived.push_back({.curve = &on_the_bus, .value = [value = steps.value, more](double nanoseconds) {
                               return more * value(nanoseconds);
                             }});
  }
  return workload;
}

Workload bandwidth_probe::prepare_empty_dispatch(device::Device& device, const Point& point, const Request&) {
  const StreamShape shape = workloads::shape_of(point.shape);
  const auto work = std::make_shared<EmptyDispatch>(device, shape);
  return {.work = workloads::stepped(
              work, {.most = most_dispatches, .value = [](double nanoseconds) { return nanoseconds / 1e3; }}),
          .shape = workloads::named(shape)};
}

const Probe bandwidth{
    .name = "bandwidth",
    .question = "How many gigabytes a second can be read from each level of the memory, and written to it?",
    .curves = curves,
    .finding_kinds = finding_kinds,
    .next = next,
    .conclude = conclude,
    .stated = more_than_units_take,
    .levels = measure::LevelsOf::bandwidth};

}  // namespace sonde::probes
