// How often does the last cache before memory, such as AMD's Infinity Cache, serve a load?
// docs/method/hit-rate.md explains it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "probes/catalog.hpp"
#include "probes/hit_rate/plan.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::probes {
namespace {

constexpr std::array curves_of_hit_rate{&hit_rate_probe::walk, &hit_rate_probe::share_by_timing,
                                        &hit_rate_probe::share_by_counters, &hit_rate_probe::stream,
                                        &hit_rate_probe::share_of_stream};
constexpr std::array findings_of_hit_rate{&hit_rate_probe::effective_capacity, &hit_rate_probe::methods_differ,
                                          &hit_rate_probe::none_seen, &hit_rate_probe::contrast_too_small};

}  // namespace

Workload hit_rate_probe::prepare_walk(device::Device& device, const Point& point, const Request& request) {
  const auto lines = static_cast<std::uint32_t>(point.x.bytes.value() / request.line_bytes);
  const workloads::MemoryPlace place =
      point.words == usual_walk_words ? workloads::MemoryPlace{} : workloads::place_of(point.words);
  Workload workload = workloads::independent_chase(device, lines, request.line_bytes, request.seed, place);
  // Warm-up goes on while laps get faster, and the cache of a large working set is full long before all of it was read.
  constexpr std::uint64_t few_lines = 1 << 17;
  std::get<SteppedWork>(workload.work).lap =
      std::max<std::uint64_t>(lines / 4, std::min<std::uint64_t>(lines, few_lines));
  return workload;
}

Workload hit_rate_probe::prepare_stream(device::Device& device, const Point& point, const Request& request) {
  const Pattern pattern = point.words.pattern.value();
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const workloads::StreamShape shape =
      workloads::search_shape(device, pattern, Sharing::separate, bytes, workloads::SearchDepth::usual);
  return workloads::stream(device, pattern, Sharing::separate, shape, bytes, request.seed);
}

const Probe hit_rate{
    .name = "hit-rate",
    .question = "How often does the last cache before memory, such as an Infinity Cache, serve a load?",
    .curves = curves_of_hit_rate,
    .finding_kinds = findings_of_hit_rate,
    .obstacle = [](const device::DeviceInfo&) { return std::optional<std::string>(); },
    .next = hit_rate_points,
    .conclude = conclude_hit_rate,
    // The closer look comes after the sweep.
    .total_to_first_batch_ratio = [](Effort effort) { return effort == Effort::quick ? 2.0 : 4.0; },
    .wants_hit_rates = true};

}  // namespace sonde::probes
