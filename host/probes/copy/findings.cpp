#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/number_text.hpp"
#include "analysis/size_curves.hpp"
#include "probes/copy/copy.hpp"

namespace sonde::probes::copy_probe {
namespace {

/// Copies in one way, on so many queues. They sort by engine, memory and direction, those within the device last.
struct Route {
  Words words;
  int queues = 1;

  [[nodiscard]] auto order() const {
    return std::tuple(words.engine, !words.host, words.host, words.direction, words.beside, queues);
  }
  friend bool operator<(const Route& one, const Route& other) { return one.order() < other.order(); }
};

/// The nanoseconds of one copy, by bytes; of each route.
using TimesBySize = std::map<double, double>;
using Times = std::map<Route, TimesBySize>;

/// Times of all queues together where there are several, so that two queues' copies at once take half as long each.
Times times_of(std::span<const Measurement> measurements) {
  Times times;
  for (const Measurement& one : measurements) {
    const Words& words = one.point.words;
    if (one.unit != "GB/s" || words.counted.value_or(Counted::total) != Counted::total) continue;
    const double bytes = one.point.x.bytes.value();
    times[{words, static_cast<int>(one.point.x.queues.value_or(1))}][bytes] = bytes / median_of(one);
  }
  return times;
}

/// "from pinned memory to the device": as a sentence names it.
std::string phrase_of(const Words& words) {
  if (!words.host) return "within the device";
  const std::string memory =
      words.host == HostMemory::map_memcpy ? "mapped memory" : std::string(measure::word_of(*words.host)) + " memory";
  if (words.direction == Direction::both) return "between " + memory + " and the device, both ways at once";
  return words.direction == Direction::to_device ? "from " + memory + " to the device" : "from the device to " + memory;
}

using SeenTimes = measure::SeenInRuns<Times>;

std::optional<analysis::CopyLine> line_of(const TimesBySize& by_size) {
  std::vector<analysis::CopyTime> times;
  for (const auto& [bytes, nanoseconds] : by_size) times.push_back({bytes, nanoseconds});
  return analysis::fit_copy_line(times);
}

void add_line(const Words& words, const SeenTimes& seen, Conclusion& conclusion) {
  const TimesBySize& by_size = seen.all().at({words});
  const auto line = line_of(by_size);
  if (!line) return;
  // The line of all visits stands in for that of one without.
  const auto line_of_visit = [&](const Times& times) { return line_of(times.at({words})).value_or(*line); };
  const auto& [small, small_ns] = *by_size.begin();
  const auto& [large, large_ns] = *by_size.rbegin();
  const std::string evidence = fmt::format(
      "A copy of {} {} takes {}, one of {} {}: with {} us and {} GB/s a line misses no size by "
      "more than {:.0f} %.",
      size_text(small), phrase_of(words), measure::time_text(small_ns), size_text(large), measure::time_text(large_ns),
      analysis::number_text(line->latency_ns / 1e3), analysis::number_text(line->gbps), std::ceil(100 * line->worst));
  measure::Known us = seen.estimate([&](const Times& times) { return line_of_visit(times).latency_ns / 1e3; });
  us.low = std::max(0.0, us.low);
  if (us.high > 0) conclusion.findings.push_back(finding_of(latency, words, us, evidence));
  const measure::Known gbps = seen.estimate([&](const Times& times) { return line_of_visit(times).gbps; });
  conclusion.findings.push_back(finding_of(bandwidth, words, gbps, evidence));
}

/// How many copies were under way at once, by one comparison.
struct Concurrency {
  double copies = 1;
  std::string evidence;
};

/// The time of a copy of so many bytes, where it was measured.
std::optional<double> time_at(const Times& times, const Route& route, double bytes) {
  const auto by_size = times.find(route);
  if (by_size == times.end()) return std::nullopt;
  const auto found = by_size->second.find(bytes);
  if (found == by_size->second.end()) return std::nullopt;
  return found->second;
}

/// Both directions at once: the part of the shorter one's time that was saved.
std::optional<Concurrency> both_at_once(const Times& times, const Words& both, double bytes) {
  Words one_way = both;
  one_way.counted.reset();
  one_way.direction = Direction::to_device;
  const auto there = time_at(times, {one_way}, bytes);
  one_way.direction = Direction::to_host;
  const auto back = time_at(times, {one_way}, bytes);
  const auto together = time_at(times, {both}, bytes);
  if (!there || !back || !together) return std::nullopt;
  const double pair_ns = *together * 2;  // both directions' bytes are counted
  const double copies = std::min(2.0, 1 + (*there + *back - pair_ns) / std::min(*there, *back));
  return Concurrency{
      copies, fmt::format("copies of {} both ways at once take {} a pair, one after the other {}", size_text(bytes),
                          measure::time_text(pair_ns), measure::time_text(*there + *back))};
}

std::optional<Concurrency> same_way_at_once(const Times& times, const Route& route, double bytes) {
  const auto one = time_at(times, {route.words}, bytes);
  const auto several = time_at(times, route, bytes);
  if (!one || !several) return std::nullopt;
  return Concurrency{std::min(*one / *several, 1.0 * route.queues),
                     fmt::format("on {} queues {} times as many copies of {} {} are made as on one", route.queues,
                                 analysis::number_text(*one / *several, 2), size_text(bytes), phrase_of(route.words))};
}

/// The comparison that shows most copies at once counts: where a bus is full, others cannot show them.
struct MostAtOnce {
  std::optional<Concurrency> best = std::nullopt;
  int queues = 0;
};

MostAtOnce most_at_once(Engine engine, const Times& times) {
  MostAtOnce most;
  for (const auto& [route, by_size] : times) {
    const bool both = route.words.direction == Direction::both;
    if (route.words.engine != engine || route.words.beside || (route.queues == 1 && !both)) continue;
    most.queues = std::max(most.queues, both ? 2 : route.queues);
    for (const auto& [bytes, nanoseconds] : by_size) {
      const auto found = both ? both_at_once(times, route.words, bytes) : same_way_at_once(times, route, bytes);
      if (found && (!most.best || found->copies > most.best->copies)) most.best = found;
    }
  }
  return most;
}

void add_engines(Engine engine, const SeenTimes& seen, Conclusion& conclusion) {
  const MostAtOnce most = most_at_once(engine, seen.all());
  if (!most.best) return;
  const auto whole = [](double copies) { return std::max(1.0, std::round(copies)); };
  const analysis::Estimate copies =
      seen.margin([&](const Times& times) { return most_at_once(engine, times).best->copies; });
  const analysis::Estimate number{
      .low = whole(copies.low), .value = whole(copies.value), .high = whole(std::min(copies.high, 1.0 * most.queues))};
  std::string evidence =
      fmt::format("Of the copies given to up to {} queues {:.0f} {} under way at once: ", most.queues, number.value,
                  number.value > 1 ? "were" : "was") +
      most.best->evidence + ".";
  if (number.low < number.high) {
    evidence +=
        fmt::format(" The times vary so much that another run may find {:.0f} to {:.0f}.", number.low, number.high);
  }
  if (number.value >= most.queues) evidence += " There may be more engines than queues that were tried.";
  conclusion.findings.push_back(finding_of(engines, {.engine = engine}, number, evidence));
}

/// The sentence gives a meaning where the whole interval has the same one.
void add_overlap(const Measurement& ratio, std::span<const Measurement> measurements, Conclusion& conclusion) {
  analysis::Estimate share = measure::margin(ratio, measurements);
  share.low = std::max(0.0, share.low);
  share.high = std::min(1.0, share.high);
  const char* meaning =
      share.low >= 0.8                      ? "copies and kernels run side by side"
      : share.high <= 0.2                   ? "one waits for the other, or takes from it what it gains"
      : share.low > 0.2 && share.high < 0.8 ? "both run side by side, but hinder each other"
      : measure::have_few_visits({&ratio, 1})
          ? "it is not clear yet whether they run side by side or wait; a longer run (--time) has more"
          : "it is not clear whether they run side by side or wait; measure on an idle machine";
  conclusion.findings.push_back(
      finding_of(overlaps_compute, ratio.point.words, share,
                 fmt::format("Copies of {} {} beside a kernel that lasts longer: {:.0f} % of their time "
                             "cost neither them nor the kernel anything ({:.0f} to {:.0f} %), so {}.",
                             size_text(ratio.point.x.bytes.value()), phrase_of(ratio.point.words), 100 * share.value,
                             100 * share.low, 100 * share.high, meaning)));
}

}  // namespace

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  const SeenTimes seen(measurements, times_of);
  Conclusion conclusion;
  for (const auto& [route, by_size] : seen.all()) {
    if (route.queues == 1 && route.words.direction != Direction::both && !route.words.beside)
      add_line(route.words, seen, conclusion);
  }
  for (const Engine engine : {Engine::driver, Engine::transfer}) add_engines(engine, seen, conclusion);
  for (const Measurement& one : measurements) {
    if (one.unit == "ratio") add_overlap(one, measurements, conclusion);
  }
  return conclusion;
}

}  // namespace sonde::probes::copy_probe
