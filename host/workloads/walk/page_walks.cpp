#include <cmath>
#include <set>

#include "analysis/levels/translation.hpp"
#include "measure/visits.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::workloads {
namespace {

using measure::Point;
using measure::Request;

constexpr std::uint32_t largest_stride_bytes = 2 << 20;
constexpr std::uint32_t least_large_stride_bytes = 64 << 10;
/// A stride so small that several lines share the smallest page.
constexpr std::uint32_t shared_stride_bytes = 1 << 10;
constexpr std::uint32_t least_lines = 8;
/// A large stride is worth so many lines; with fewer, one half as large tells more.
constexpr std::uint32_t enough_lines = 1024;
/// The largest span whose offsets fit 32 bits; beyond it a walk's loads take another time.
constexpr std::uint64_t most_span_bytes = 1ull << 32;
/// The memory of a CPU, which stands for a GPU, is that of all programs.
constexpr std::uint64_t most_span_of_cpu_bytes = 1ull << 30;
constexpr double numbers_per_doubling = 2;
/// How closely the lines are counted that a table has entries for, as a ratio of neighbouring numbers: in the end, and
/// before that within `near_factor` of it.
constexpr double final_ratio = 1.05;
constexpr double near_ratio = 1.25;
constexpr double near_factor = 2;
/// Numbers of lines at which a table surely misses, and surely does not, over that at which it begins to.
constexpr double surely_missed = 1.4;
constexpr double surely_held = 0.7;

struct PageWalk {
  std::uint32_t stride_bytes;
  std::uint32_t lines;
  friend auto operator<=>(const PageWalk&, const PageWalk&) = default;
};

std::uint64_t room_bytes(const device::DeviceInfo& device, const Request& request) {
  std::uint64_t room = std::min(most_span_bytes, device.memory_bytes / 4);
  if (device.largest_buffer_bytes > 0) room = std::min(room, device.largest_buffer_bytes);
  if (request.largest_bytes) room = std::min(room, *request.largest_bytes);
  return device.type == device::DeviceType::cpu ? std::min(room, most_span_of_cpu_bytes) : room;
}

/// The largest stride that there is room for enough lines of; none where even a small one has but a few.
std::optional<std::uint32_t> large_stride_bytes(std::uint64_t room_bytes) {
  std::uint32_t stride = largest_stride_bytes;
  while (stride > least_large_stride_bytes && room_bytes / stride < enough_lines) stride /= 2;
  if (room_bytes / stride < 4 * std::uint64_t{least_lines}) return std::nullopt;
  return stride;
}

std::uint32_t whole(double lines) { return static_cast<std::uint32_t>(std::lround(lines)); }

/// Adds the walks that tell one table, given the numbers of lines that were walked with the large stride.
void add_walks_about(const analysis::PageTable& table, std::uint32_t large_bytes, const std::set<std::uint32_t>& walked,
                     std::uint64_t room, std::set<PageWalk>& walks) {
  // The number of lines at the large stride that fill the table: several share a page that is larger still.
  const double edge = table.entries.value * std::max(1.0, table.page_bytes / large_bytes);
  const auto above = walked.upper_bound(static_cast<std::uint32_t>(edge));
  if (above == walked.end() || above == walked.begin()) return;
  for (auto high = std::next(walked.begin()); high != walked.end(); ++high) {
    const std::uint32_t low = *std::prev(high);
    // Two tables may look like one that fills up slowly.
    const bool near = *high < near_factor * edge && low > edge / near_factor;
    if (*high - low < 2 || *high < (high == above ? final_ratio : near ? near_ratio : near_factor) * low) continue;
    const std::uint32_t between = whole(std::sqrt(double{1} * low * *high));
    walks.insert({large_bytes, between});
    walks.insert({shared_stride_bytes, between});
  }
  // The same number of lines is walked ever closer together: the stride at which they find room is half a page. Two
  // numbers are walked, as one may be that at which a cache is full.
  auto missed = walked.lower_bound(static_cast<std::uint32_t>(surely_missed * edge));
  if (missed == walked.end()) --missed;
  for (const double factor : {1.0, 1.3}) {
    const auto many = walked.lower_bound(static_cast<std::uint32_t>(factor * *missed));
    if (many == walked.end()) continue;
    for (std::uint32_t stride = large_bytes / 2; stride > shared_stride_bytes; stride /= 2)
      walks.insert({stride, *many});
  }
  // Fewer lines are walked ever further apart: a page larger than the large stride shows by their misses.
  const auto held = walked.upper_bound(static_cast<std::uint32_t>(surely_held * edge));
  if (held == walked.begin()) return;
  const std::uint32_t few = *std::prev(held);
  for (std::uint64_t stride = 2ull * large_bytes; stride <= 4ull * large_bytes; stride *= 2) {
    if (stride * few <= room) walks.insert({static_cast<std::uint32_t>(stride), few});
  }
}

}  // namespace

std::vector<Point> page_walks(const SweptCurves& swept, const analysis::LatencyCurves& curves,
                              const device::DeviceInfo& device, const Request& request) {
  const std::uint64_t room = room_bytes(device, request);
  const std::optional<std::uint32_t> large = large_stride_bytes(room);
  if (!large) return {};
  const auto points_of = [&](const std::set<PageWalk>& walks) {
    std::vector<Point> points;
    for (const PageWalk& walk : walks) {
      measure::Words varied = swept.varied;
      varied.stride_bytes = walk.stride_bytes;
      const double bytes = static_cast<double>(walk.stride_bytes) * walk.lines;
      // Chance puts the lines into a cache's sets.
      points.push_back(measure::point_on(swept.page, {.bytes = bytes}, varied, 0.06, measure::usual_visits));
    }
    return measure::spread_over_sizes(std::move(points), request.seed);
  };
  std::set<PageWalk> walks;
  for (double lines = least_lines; lines * *large <= static_cast<double>(room) * 1.0001;
       lines *= std::exp2(1 / numbers_per_doubling)) {
    for (const std::uint32_t stride : {*large, shared_stride_bytes}) walks.insert({stride, whole(lines)});
  }
  std::set<PageWalk> walked;
  std::set<std::uint32_t> lines_far_apart;
  for (const analysis::StridePoint& point : curves.strides) {
    const PageWalk walk{static_cast<std::uint32_t>(point.stride_bytes), static_cast<std::uint32_t>(point.lines)};
    walked.insert(walk);
    if (walk.stride_bytes == *large) lines_far_apart.insert(walk.lines);
  }
  std::vector<Point> points = points_of(walks);
  const bool all_were_asked = std::ranges::all_of(points, [&](const Point& point) {
    const std::uint32_t stride = *point.words.stride_bytes;
    return walked.contains({stride, whole(*point.x.bytes / stride)}) || request.was_asked(point);
  });
  if (!all_were_asked) return points;
  for (const analysis::PageTable& table : analysis::page_tables(curves.strides)) {
    add_walks_about(table, *large, lines_far_apart, room, walks);
  }
  return points_of(walks);
}

}  // namespace sonde::workloads
