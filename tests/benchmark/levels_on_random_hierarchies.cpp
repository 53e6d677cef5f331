// Asks the latency probe, on the model device, for the levels of random hierarchies, and prints how often and how
// closely they come back.
// Usage: levels_on_random_hierarchies [count] [first seed] [least size ratio] [least step] [most step] [most tables]
//                                     [folder or -] [first or closer, which is how closely it looks]
// Seeds from 1001 on calibrate; those before them judge.
// With tables, from one to so many of pages lie behind caches of up to 8 MiB, and how they come back is printed too.
// With a folder, the curves are written there with what must come out, as tests/data has them, for levels_of_curves.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/model/model.hpp"
#include "interval_score.hpp"
#include "measure/runner.hpp"
#include "measure/settle.hpp"
#include "probes/catalog.hpp"
#include "probes/latency/latency.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace {

using namespace sonde;

/// splitmix64, so that a seed means the same everywhere.
struct Random {
  std::uint64_t state;
  double share() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * share(); }
  int below(int bound) { return static_cast<int>(share() * bound); }
};

device::model::Description random_hierarchy(std::uint64_t seed, double least_ratio, double least_step, double most_step,
                                            int most_tables) {
  Random random{seed * 7919};
  device::model::Description model;
  model.name = "random " + std::to_string(seed);
  model.seed = seed;
  model.memory_bytes = 1ull << 34;
  model.clock_mhz = 2000;
  model.launch_ns = 8000;
  model.timer_step_ns = 10;
  model.first_launch_ms = 5;
  model.noise = {.relative = 0.01, .outlier_share = 0.01, .outlier_factor = 3, .ramp_seconds = 0.2};
  const int caches = 1 + random.below(4);
  // Sizes from 4 KiB to 64 MiB, or 8, each at least so many times the one before.
  const double octaves = most_tables > 0 ? 11 : 14;
  const double least_gap = std::log2(least_ratio);
  std::vector<double> places;
  for (int i = 0; i < caches; ++i) places.push_back(random.between(0, octaves - least_gap * (caches - 1)));
  std::ranges::sort(places);
  double latency = random.between(2, 40);
  for (int i = 0; i < caches; ++i) {
    device::model::ModelLevel level;
    level.name = "level " + std::to_string(i + 1);
    level.line_bytes = 64;
    const std::uint32_t ways[] = {4, 8, 12, 16, 16, 32};
    level.ways = ways[random.below(6)];
    const auto sets = std::max(
        1.0, std::round(4096 * std::exp2(places[static_cast<std::size_t>(i)] + i * least_gap) / (64 * level.ways)));
    level.bytes = static_cast<std::uint64_t>(sets) * 64 * level.ways;
    const device::model::Policy policies[] = {device::model::Policy::lru, device::model::Policy::plru,
                                              device::model::Policy::random};
    level.policy = policies[random.below(3)];
    // A tree needs a power of two.
    if (level.policy == device::model::Policy::plru && level.ways == 12) level.policy = device::model::Policy::lru;
    level.hashed = random.share() < 0.5;
    level.latency_ns = latency;
    model.levels.push_back(level);
    latency *= random.between(least_step, most_step);
  }
  device::model::ModelLevel memory;
  memory.name = "memory";
  memory.latency_ns = latency;
  model.levels.push_back(memory);
  const int tables = most_tables > 0 ? 1 + random.below(most_tables) : 0;
  while (static_cast<int>(model.translation.size()) < tables) {
    const device::model::Translation table{
        .page_bytes = std::uint64_t{4096} << random.below(10),
        .entries = static_cast<std::uint32_t>(std::lround(32 * std::exp2(random.between(0, 5)))),
        .penalty_ns = random.between(4, 40)};
    // One that ends where the one before does is no table of its own.
    const auto further = [&](const device::model::Translation& before) {
      return table.entries >= 2 * before.entries && table.page_bytes >= before.page_bytes;
    };
    if (model.translation.empty() || further(model.translation.back())) {
      model.translation.push_back(table);
    } else if (random.share() < 0.1) {
      model.translation.clear();  // hardly any table is further than such a one
    }
  }
  return model;
}

struct Collector final : measure::Observer {
  std::vector<measure::FoundLevel> levels;
  std::vector<measure::Finding> findings;
  std::vector<std::string> troubles;
  std::vector<measure::Measurement> measurements;
  int points = 0;
  void measured(const measure::Probe&, const measure::Measurement& one) override {
    measurements.push_back(one);
    ++points;
  }
  void found_levels(const measure::Probe&, const std::vector<measure::FoundLevel>& found) override { levels = found; }
  void found(const measure::Probe&, const measure::Finding& finding) override { findings.push_back(finding); }
  void skipped(const measure::Probe&, const measure::Point*, const std::string& reason) override {
    troubles.push_back(reason);
  }
  void failed(const measure::Probe&, const measure::Point*, const std::string& reason) override {
    troubles.push_back(reason);
  }
};

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[300];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string text_of(const device::model::Description& model) {
  const char* policies[] = {"lru", "plru", "random"};
  std::string text;
  for (const device::model::ModelLevel& level : model.levels) {
    if (level.bytes == 0) {
      text += format(" [memory %.1f ns]", level.latency_ns);
      continue;
    }
    text += format(" [%.1f KiB %s %s %u ways %.1f ns]", static_cast<double>(level.bytes) / 1024,
                   level.hashed ? "hashed" : "modulo", policies[static_cast<int>(level.policy)], level.ways,
                   level.latency_ns);
  }
  for (const device::model::Translation& table : model.translation) {
    text += format(" (%u pages of %llu KiB %.1f ns)", table.entries,
                   static_cast<unsigned long long>(table.page_bytes / 1024), table.penalty_ns);
  }
  return text;
}

/// The latency probe without memory kept awake and the further paths, which see the same caches in a model.
std::vector<measure::Point> vector_points(const device::DeviceInfo& device, const measure::Request& request,
                                          std::span<const measure::Measurement> known) {
  std::vector<measure::Point> points = probes::latency.next(device, request, known);
  std::erase_if(points, [](const measure::Point& point) {
    const measure::Words& words = point.words;
    return words.path.value_or(measure::Path::vector) != measure::Path::vector || words.pattern || words.fabric;
  });
  return points;
}

Collector measured(const device::model::Description& model, measure::Look look) {
  const auto device = device::model::open(model);
  measure::RunnerOptions options;
  options.request.look = look;
  // Else pages are walked as far as memory goes.
  if (model.translation.empty()) options.request.largest_bytes = 256ull << 20;
  options.request.line_bytes = 64;
  options.request.seed = model.seed;
  options.host_time = [] { return counters::HostTime{}; };
  Collector collector;
  measure::settle_clock(std::get<measure::SteppedWork>(workloads::arithmetic_chain(*device).work),
                        device::Nanoseconds(2e9), [] {});
  measure::Probe probe = probes::latency;
  probe.next = vector_points;
  measure::run_probe(*device, probe, options, collector);
  return collector;
}

void write_points(std::ofstream& file, const std::string& name, const std::string& series, double bytes,
                  const std::vector<double>& values) {
  file << format(R"({"record": "sample", "device": "%s", "api": "model", "probe": "latency", "series": {%s}, )",
                 name.c_str(), series.c_str())
       << format(R"("x": {"bytes": %.0f}, "unit": "ns", "values": [)", bytes);
  const char* comma = "";
  for (const double value : values) file << std::exchange(comma, ", ") << format("%.4f", value);
  file << "], \"state\": {}}\n";
}

/// The curves as find_levels gets them, as a record, and what must come out: sizes and latencies as they are.
void write_curves(const std::filesystem::path& folder, std::uint64_t seed, const device::model::Description& model,
                  const Collector& collector) {
  measure::Request request;
  request.line_bytes = 64;
  const analysis::LatencyCurves curves =
      workloads::curves_of(collector.measurements, probes::latency_probe::vector_path, request);
  const std::string name = format("random-%04llu", static_cast<unsigned long long>(seed));
  std::ofstream file(folder / (name + ".jsonl"));
  file << format(R"({"record": "device", "device": "%s", "line_bytes": 64, "page_bytes": %.0f})", name.c_str(),
                 curves.page_bytes)
       << "\n";
  for (const analysis::CurvePoint& point : curves.cycle) write_points(file, name, "", point.bytes, point.values);
  for (const analysis::CurvePoint& point : curves.independent)
    write_points(file, name, R"("order": "independent")", point.bytes, point.values);
  for (const analysis::CurvePoint& point : curves.page)
    write_points(file, name, R"("order": "page")", point.bytes, point.values);
  for (const analysis::StridePoint& point : curves.strides) {
    write_points(file, name, format(R"("order": "page", "stride": "%.0f")", point.stride_bytes),
                 point.lines * point.stride_bytes, point.values);
  }
  std::ofstream expected(folder / (name + ".expected.json"));
  expected << R"({"why": "A model device's.", "not_levels": [], "translation": [], "levels": [)";
  const char* comma = "";
  for (const device::model::ModelLevel& level : model.levels) {
    expected << std::exchange(comma, ", ")
             << format(R"({"latency_ns_low": %.6f, "latency_ns_high": %.6f)", level.latency_ns, level.latency_ns);
    if (level.bytes > 0) {
      expected << format(R"(, "bytes_low": %llu, "bytes_high": %llu)", static_cast<unsigned long long>(level.bytes),
                         static_cast<unsigned long long>(level.bytes));
    }
    expected << "}";
  }
  expected << "]}\n";
}

/// What a level is judged as one of.
std::vector<std::string> populations(const device::model::Description& model, std::size_t level) {
  const device::model::ModelLevel& own = model.levels[level];
  if (own.bytes == 0) return {"all", "memory"};
  const char* policies[] = {"lru", "plru", "random"};
  return {"all", "level " + std::to_string(level + 1),
          std::string(own.hashed ? "hashed " : "modulo ") + policies[static_cast<int>(own.policy)]};
}

struct Figures {
  int hierarchies = 0;
  int number_right = 0;
  int with_false_level = 0;
  int translations = 0;
  int tables = 0;
  int tables_found = 0;
  int false_tables = 0;
  int pages_right = 0;
  int reaches_in_bracket = 0;
  std::vector<double> reach_errors;
  std::vector<double> capacity_errors;
  std::vector<double> plateau_errors;
  benchmark::IntervalScores sizes = benchmark::size_scores();
  benchmark::IntervalScores latencies = benchmark::latency_scores();

  /// Adds one hierarchy; returns what there is to say of it.
  std::string add(const device::model::Description& model, const Collector& collector) {
    ++hierarchies;
    const std::vector<measure::FoundLevel>& levels = collector.levels;
    translations += static_cast<int>(collector.findings.size());
    std::string of_tables = add_tables(model, collector);
    with_false_level += levels.size() > model.levels.size() ? 1 : 0;
    std::string text = std::move(of_tables);
    for (const std::string& trouble : collector.troubles) text += " " + trouble;
    if (levels.size() != model.levels.size()) {
      text += format(" WRONG NUMBER %zu:", levels.size());
      for (const measure::FoundLevel& level : levels) {
        text += format(" %.0f KiB %.1f ns", level.found.bytes ? level.found.bytes->value / 1024 : 0.0,
                       level.found.latency_ns.value);
      }
      return text;
    }
    ++number_right;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const analysis::Level& found = levels[level].found;
      const device::model::ModelLevel& own = model.levels[level];
      for (const std::string& population : populations(model, level))
        latencies.add(population, found.latency_ns, own.latency_ns, own.latency_ns);
      const double plateau_error = found.latency_ns.value / own.latency_ns - 1;
      plateau_errors.push_back(std::abs(plateau_error));
      text += format(" [%.1f ns %+.2f %%%s]", found.latency_ns.value, 100 * plateau_error,
                     plateau_errors.back() > 0.02 ? " PLATEAU" : "");
      if (!found.bytes) continue;
      const auto truth = static_cast<double>(own.bytes);
      const bool inside = found.bytes->low <= truth && truth <= found.bytes->high;
      for (const std::string& population : populations(model, level)) sizes.add(population, *found.bytes, truth, truth);
      capacity_errors.push_back(std::abs(found.bytes->value / truth - 1));
      text += format(" %.1f (%.1f-%.1f)%s%s", found.bytes->value / 1024, found.bytes->low / 1024,
                     found.bytes->high / 1024, inside ? "" : " OUTSIDE", capacity_errors.back() > 0.06 ? " FAR" : "");
    }
    return text;
  }

  /// In order of reach, as findings are.
  std::string add_tables(const device::model::Description& model, const Collector& collector) {
    tables += static_cast<int>(model.translation.size());
    if (model.translation.empty()) return "";
    false_tables +=
        std::max(0, static_cast<int>(collector.findings.size()) - static_cast<int>(model.translation.size()));
    std::string text;
    for (const measure::Finding& finding : collector.findings) {
      text += format(" (%.0f pages of %.0f KiB %.1f ns)", finding.details.at("entries"),
                     finding.details.at("page_bytes") / 1024, finding.details.at("added_ns"));
    }
    for (const device::model::Translation& table : model.translation) {
      const double reach = static_cast<double>(table.page_bytes) * table.entries;
      const auto found = std::ranges::min_element(
          collector.findings, {}, [&](const measure::Finding& one) { return std::abs(std::log(*one.value / reach)); });
      if (found == collector.findings.end() || std::abs(*found->value / reach - 1) > 0.25) {
        text += format(" MISSED %u pages", table.entries);
        continue;
      }
      ++tables_found;
      const bool page_right = found->details.at("page_bytes") == static_cast<double>(table.page_bytes);
      pages_right += page_right ? 1 : 0;
      reach_errors.push_back(std::abs(*found->value / reach - 1));
      const bool inside = *found->low <= reach && reach <= *found->high;
      reaches_in_bracket += inside ? 1 : 0;
      if (!page_right) text += " PAGE";
      if (!inside) text += " REACH";
    }
    return text;
  }

  void print() const {
    const auto percent = [](int part, std::size_t whole) {
      return whole == 0 ? 0.0 : 100.0 * part / static_cast<double>(whole);
    };
    const auto mean = [](const std::vector<double>& values) {
      double sum = 0;
      for (const double value : values) sum += value;
      return values.empty() ? 0 : sum / static_cast<double>(values.size());
    };
    const auto above = [](const std::vector<double>& values, double limit) {
      return static_cast<long>(std::ranges::count_if(values, [=](double value) { return value > limit; }));
    };
    const auto worst = [](const std::vector<double>& errors) { return errors.empty() ? 0 : std::ranges::max(errors); };
    const auto all = static_cast<std::size_t>(hierarchies);
    std::printf("hierarchies %d, number right %.1f %%, no false level %.1f %%, translation findings %d\n", hierarchies,
                percent(number_right, all), percent(hierarchies - with_false_level, all), translations);
    std::printf("capacity error: mean %.2f %%, worst %.2f %%, over 6 %%: %ld of %zu\n", 100 * mean(capacity_errors),
                100 * worst(capacity_errors), above(capacity_errors, 0.06), capacity_errors.size());
    if (tables > 0) {
      std::printf(
          "tables of pages %d: found %.1f %%, false ones %d, page right %.1f %%, reach: worst %.1f %% off, over 10 %%: "
          "%ld, in the interval %.1f %%\n",
          tables, percent(tables_found, static_cast<std::size_t>(tables)), false_tables,
          percent(pages_right, static_cast<std::size_t>(tables)), 100 * worst(reach_errors), above(reach_errors, 0.1),
          percent(reaches_in_bracket, static_cast<std::size_t>(tables)));
    }
    std::printf("plateau error: mean %.2f %%, worst %.2f %%, over 2 %%: %ld of %zu\n", 100 * mean(plateau_errors),
                100 * worst(plateau_errors), above(plateau_errors, 0.02), plateau_errors.size());
    sizes.print();
    latencies.print();
  }
};

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t hierarchies = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 200;
  const std::uint64_t first = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const double least_ratio = count > 3 ? std::atof(arguments[3]) : 6;
  const double least_step = count > 4 ? std::atof(arguments[4]) : 1.5;
  const double most_step = count > 5 ? std::atof(arguments[5]) : 4;
  const int most_tables = count > 6 ? std::atoi(arguments[6]) : 0;
  const std::filesystem::path folder = count > 7 && arguments[7] != std::string("-") ? arguments[7] : "";
  const measure::Look look =
      count > 8 && arguments[8] == std::string("first") ? measure::Look::first : measure::Look::closer;
  Figures figures;
  std::mutex one_at_a_time;
  std::atomic<std::uint64_t> next = first;
  const auto work = [&] {
    for (std::uint64_t seed = next++; seed < first + hierarchies; seed = next++) {
      const device::model::Description model = random_hierarchy(seed, least_ratio, least_step, most_step, most_tables);
      const Collector collector = measured(model, look);
      if (!folder.empty()) write_curves(folder, seed, model, collector);
      const std::lock_guard lock(one_at_a_time);
      const std::string text = figures.add(model, collector);
      std::printf("%llu points %d |%s |%s\n", static_cast<unsigned long long>(seed), collector.points,
                  text_of(model).c_str(), text.c_str());
      std::fflush(stdout);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  }
  figures.print();
}
