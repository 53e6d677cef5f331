#include <fmt/format.h>

#include "measure/level_findings.hpp"
#include "summary/first_screen.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using analysis::Bracket;
using measure::FoundLevel;
using measure::Quantity;
using measure::Sureness;

std::string_view latency_probe(device::Api api) { return api == device::Api::cpu ? "cpu-latency" : "latency"; }

bool touch(const Bracket& one, const Bracket& other) { return one.low <= other.high && other.low <= one.high; }

/// A row without a size is the last of its name.
bool is_cache(const LevelRow& row) { return row.bytes.has_value(); }

/// The caches of rows as levels that others can be matched with, numbered by row.
std::vector<FoundLevel> as_levels(std::span<const LevelRow> rows) {
  std::vector<FoundLevel> levels;
  for (const LevelRow& row : rows) {
    if (is_cache(row)) levels.push_back({.level = static_cast<int>(levels.size()) + 1, .found = {.bytes = row.bytes}});
  }
  return levels;
}

/// Whether a row is what lies behind all of an API's caches: by its name, or as memory of which one of them saw too
/// little to be sure and both read the same.
bool is_the_last_too(const FoundLevel& last, const LevelRow& row) {
  return !is_cache(row) && (row.name == last.name || std::ranges::any_of(row.apis, [&](const auto& cells) {
                              return cells.second.latency != nullptr &&
                                     touch(cells.second.latency->found.latency_ns, last.found.latency_ns);
                            }));
}

/// Adds what one API's latency shows to the rows: to the row that is the same cache, or as a row of its own.
void add_latency(device::Api api, std::span<const FoundLevel* const> levels, std::vector<LevelRow>& rows) {
  std::vector<FoundLevel> caches;
  for (const FoundLevel* level : levels) {
    if (level->found.bytes) caches.push_back(*level);
  }
  std::vector<FoundLevel> known = as_levels(rows);
  measure::match(known, caches);
  std::vector<LevelRow> merged;
  for (const auto& [row, cache] : measure::side_by_side(known, caches)) {
    LevelRow one = row != nullptr ? rows[static_cast<std::size_t>(row->level) - 1] : LevelRow{};
    if (cache != nullptr) {
      const Bracket bytes = *cache->found.bytes;
      one.sizes_differ |= one.bytes && !touch(*one.bytes, bytes);
      const bool is_narrower = !one.bytes || bytes.high / bytes.low < one.bytes->high / one.bytes->low;
      if (is_narrower && !one.sizes_differ) one.bytes = bytes;
      one.apis[api].latency = levels[static_cast<std::size_t>(cache - caches.data())];
    }
    merged.push_back(std::move(one));
  }
  std::ranges::copy_if(rows, std::back_inserter(merged), [](const LevelRow& row) { return !is_cache(row); });
  if (!levels.empty() && !levels.back()->found.bytes) {
    const FoundLevel& last = *levels.back();
    const auto same = std::ranges::find_if(merged, [&](const LevelRow& row) { return is_the_last_too(last, row); });
    LevelRow& row = same != merged.end() ? *same : merged.emplace_back(LevelRow{.name = last.name});
    if (row.name != last.name) row.name = "memory";
    row.apis[api].latency = &last;
  }
  rows = std::move(merged);
}

/// The bandwidth level in which a cache of so many bytes lies: the first that is as large. Null where that is memory,
/// as the curve does not show the cache then.
const FoundLevel* holding(std::span<const FoundLevel> bandwidth, double bytes) {
  constexpr double hardly_larger = 1.1;
  const auto found = std::ranges::find_if(bandwidth, [bytes](const FoundLevel& level) {
    return level.found.bytes && level.found.bytes->value * hardly_larger >= bytes;
  });
  return found == bandwidth.end() ? nullptr : &*found;
}

/// Whether the interval of a level's bandwidth has the next one's value: it may be the slope between two levels.
bool is_a_slope(const FoundLevel& level, const FoundLevel& next) { return level.gbps->low <= next.gbps->high; }

/// Whether a bandwidth level is of a cache that the latency of this API tells, with the same size.
bool is_a_cache_of_latency(const FoundLevel& bandwidth, device::Api api, std::vector<LevelRow>& rows) {
  return std::ranges::any_of(rows, [&](LevelRow& row) {
    const FoundLevel* const latency = row.apis[api].latency;
    return latency != nullptr && latency->found.bytes && latency->found.bytes->value == bandwidth.found.bytes->value;
  });
}

/// Adds the bandwidth of one API: of the levels that match, else of those that a row's size lies within. A level that
/// no row has becomes one.
void add_bandwidth(device::Api api, std::span<const FoundLevel> bandwidth, std::vector<LevelRow>& rows) {
  std::set<const FoundLevel*> shown;
  for (LevelRow& row : rows) {
    const FoundLevel* const latency = row.apis[api].latency;
    const auto same = std::ranges::find_if(
        bandwidth, [&](const FoundLevel& one) { return latency != nullptr && one.matches == latency->level; });
    const FoundLevel* found = same != bandwidth.end() ? &*same : nullptr;
    if (found == nullptr && row.bytes) {
      found = holding(bandwidth, latency != nullptr ? latency->found.bytes->value : row.bytes->value);
      // Where bandwidth is told of latency's caches, this one has no sample within it, and no other level's says more.
      if (found != nullptr && latency != nullptr && is_a_cache_of_latency(*found, api, rows)) found = nullptr;
    }
    if (found == nullptr && row.name == "memory" && !bandwidth.back().found.bytes) found = &bandwidth.back();
    row.apis[api].bandwidth = found;
    if (found != nullptr) shown.insert(found);
  }
  for (const FoundLevel& level : bandwidth) {
    const bool is_last = &level == &bandwidth.back();
    if (shown.contains(&level) || (!is_last && is_a_slope(level, *std::next(&level)))) continue;
    const auto after = std::ranges::find_if(rows, [&](const LevelRow& row) {
      return !is_cache(row) ? row.name == "beyond" || is_last || level.found.bytes
                            : level.found.bytes && row.bytes->value > level.found.bytes->value;
    });
    // Latency's sweep ended within this cache, beyond those that it told.
    const bool is_beyond = after != rows.end() && after->name == "beyond" && level.found.bytes;
    if (is_beyond) {
      after->bytes = level.found.bytes;
      after->name.clear();
      after->apis[api].bandwidth = &level;
    } else if (is_last && after != rows.end() && after->name == level.name) {
      after->apis[api].bandwidth = &level;
    } else {
      const auto row = rows.insert(is_last ? rows.end() : after,
                                   {.name = level.found.bytes ? "" : level.name, .bytes = level.found.bytes});
      row->apis[api].bandwidth = &level;
    }
  }
}

/// The reason for which a level is not known better, in three words, from the points around it.
std::string why_rough(const FoundLevel& level, bool of_size, const Results& results) {
  constexpr double around = 4;
  constexpr double octave = 2;
  constexpr std::size_t few = 4;
  const double edge = level.found.bytes ? level.found.bytes->value : level.swept_bytes;
  std::set<double> near_sizes;
  bool disturbed = false;
  bool filling = false;
  std::size_t most_visits = 0;
  for (const auto& [words, samples] : results.samples) {
    if (words.order || words.path != level.words.path || words.pages != level.words.pages) continue;
    for (const measure::Measurement* one : samples) {
      const double bytes = one->point.x.bytes.value_or(0);
      if (edge > 0 && (bytes < edge / around || bytes > edge * around)) continue;
      disturbed |= one->state.disturbed || one->state.smt_interference > 0;
      filling |= one->state.laps_settling > 0;
      most_visits = std::max(most_visits, one->visits.size());
      if (bytes >= edge / octave && bytes <= edge * octave) near_sizes.insert(bytes);
    }
  }
  if (disturbed) return "others use it";
  if (filling) return "not settled";
  if (of_size && level.found.either.size() == 2)
    return measure::size_text(level.found.either[0]) + " or " + measure::size_text(level.found.either[1]);
  if (of_size && near_sizes.size() < few) return "few points";
  if (most_visits < 2) return "one visit";
  return of_size && level.found.end_bytes > 2 * level.found.onset_bytes ? "gradual edge" : "visits differ";
}

/// A number of a row, with what it is of.
struct Judged {
  const Bracket* interval;
  Quantity quantity;
  const FoundLevel* level;
  device::Api api;
};

std::vector<Judged> numbers_of(const LevelRow& row) {
  std::vector<Judged> numbers;
  for (const auto& [api, cells] : row.apis) {
    if (cells.latency != nullptr)
      numbers.push_back({&cells.latency->found.latency_ns, Quantity::rate, cells.latency, api});
    if (cells.bandwidth != nullptr) numbers.push_back({&*cells.bandwidth->gbps, Quantity::rate, cells.bandwidth, api});
  }
  for (const auto& [api, cells] : row.apis) {
    for (const FoundLevel* level : {cells.latency, cells.bandwidth}) {
      const bool is_shown =
          row.bytes && level != nullptr && level->found.bytes && level->found.bytes->value == row.bytes->value;
      if (is_shown) numbers.push_back({&*row.bytes, Quantity::size, level, api});
    }
  }
  return numbers;
}

/// A reason not to take a row as told by all: "OpenCL only", "by bandwidth only".
std::string told_by(const LevelRow& row, std::size_t apis) {
  std::size_t with_latency = 0;
  device::Api teller{};
  for (const auto& [api, cells] : row.apis) {
    if (cells.latency == nullptr) continue;
    ++with_latency;
    teller = api;
  }
  if (row.sizes_differ) return "sizes differ";
  if (with_latency == 0) return "by bandwidth only";
  return with_latency < apis ? records::spoken_name(teller) + " only" : "";
}

void judge(LevelRow& row, const std::string& device, const View& view, std::size_t apis) {
  const std::vector<Judged> numbers = numbers_of(row);
  const auto excess = [](const Judged& number) {
    return measure::relative_half_width(*number.interval) / measure::half_width_at(number.quantity, 1);
  };
  const auto worst = std::ranges::max_element(numbers, {}, excess);
  if (worst == numbers.end()) return;
  constexpr std::array words{"good", "fair", "rough"};
  const Sureness sureness = measure::how_sure(*worst->interval, worst->quantity);
  row.sure = words[static_cast<std::size_t>(sureness)];
  row.is_rough = sureness == Sureness::rough;
  if (row.is_rough) {
    const std::string_view probe = worst->level->gbps ? "bandwidth" : latency_probe(worst->api);
    const bool of_size = worst->quantity == Quantity::size;
    row.sure += ": " + why_rough(*worst->level, of_size, view.of(device, worst->api, probe));
  }
  const std::string teller = told_by(row, apis);
  if (!teller.empty()) row.sure += "; " + teller;
}

}  // namespace

std::vector<const FoundLevel*> main_levels(const std::string& device, device::Api api, const View& view) {
  std::map<Words, std::vector<const FoundLevel*>> curves;
  for (const FoundLevel& level : view.of(device, api, latency_probe(api)).levels) {
    const bool is_main = measure::is_vector_path(level.words) && !level.words.placement;
    if (is_main) curves[level.words].push_back(&level);
  }
  if (curves.empty()) return {};
  // Memory that is kept awake shows what a busy program sees; of CPUs the first curve has small pages.
  const auto awake =
      std::ranges::find_if(curves, [](const auto& curve) { return curve.first.fabric == measure::Fabric::loaded; });
  return awake != curves.end() ? awake->second : curves.begin()->second;
}

std::vector<LevelRow> level_rows(const records::DeviceRecord& device, const View& view) {
  std::vector<LevelRow> rows;
  std::size_t apis = 0;
  for (const device::Api api : apis_of_rows) {
    // Native code beside drivers has a line of its own.
    if (api == device::Api::cpu && apis > 0) continue;
    const std::vector<const FoundLevel*> levels = main_levels(device.id, api, view);
    if (levels.empty()) continue;
    ++apis;
    add_latency(api, levels, rows);
  }
  for (const device::Api api : apis_of_rows) {
    const std::vector<FoundLevel>& bandwidth = view.of(device.id, api, "bandwidth").levels;
    if (!bandwidth.empty()) add_bandwidth(api, bandwidth, rows);
  }
  // Memory is behind whatever else one API sees beyond its caches.
  std::ranges::stable_partition(rows, [](const LevelRow& row) { return row.name != "memory"; });
  int number = 0;
  for (LevelRow& row : rows) {
    if (row.bytes) row.name = (device.type == device::DeviceType::cpu ? "L" : "level ") + std::to_string(++number);
    judge(row, device.id, view, apis);
  }
  return rows;
}

}  // namespace sonde::summary
