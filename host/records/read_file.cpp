#include "records/lines.hpp"

#include <cmath>
#include <numeric>
#include <ranges>
#include <system_error>
#include <unordered_set>

#include "measure/visits.hpp"
#include "os/file.hpp"
#include "records/description.hpp"
#include "records/schema.hpp"

namespace sonde::records {
namespace {

/// Larger files are refused: the largest run writes a tenth of this.
constexpr std::uint64_t largest_file_bytes = 256 << 20;
/// No buffer of any device is larger than this.
constexpr double largest_set_bytes = 0x1p50;
constexpr std::uint32_t largest_line_bytes = 1 << 20;

std::string text_of(const std::filesystem::path& path) {
  const auto unreadable = [&path](const char* why) {
    return InvalidFile(path.string() + ": the file cannot be read" + why);
  };
  // A pipe or a device might never end, and so might what the system calls a file, which is why reading does not wait.
  std::error_code problem;
  const bool regular = std::filesystem::is_regular_file(path, problem);
  if (problem || !regular) throw unreadable(std::filesystem::exists(path, problem) ? ": it is no regular file" : "");
  std::optional<std::string> text;
  const bool small = std::filesystem::file_size(path, problem) <= largest_file_bytes && !problem;
  if (small && !(text = os::read_bytes(path, largest_file_bytes + 1))) throw unreadable("");
  if (!small || text->size() > largest_file_bytes) {
    throw InvalidFile(path.string() + ": the file is larger than " + std::to_string(largest_file_bytes >> 20) +
                      " MiB, which no run is: keep one run in a file");
  }
  return *std::move(text);
}

/// These checks are what everything behind the reader relies on.
void check(const SampleLine& sample) {
  const measure::Measurement& one = sample.measurement;
  if (one.values.empty()) throw InvalidFile("values must hold a number");
  if (!std::ranges::all_of(one.values, [](double value) { return std::isfinite(value); }))
    throw InvalidFile("values must be finite");
  // Levels are read from values above 0. A cost in microseconds may be 0, and a share of time saved may be negative.
  const bool of_a_curve = one.unit == "ns" || one.unit == "cycles" || one.unit == "GB/s";
  // Single values may be negative: on a busy machine a long dispatch may be quicker than a short one.
  if (of_a_curve && measure::median_of(one) <= 0) throw InvalidFile("values must be above 0");
  const bool of_any_sign = of_a_curve || one.unit == "ratio";
  if (!of_any_sign && std::ranges::min(one.values) < 0) throw InvalidFile("values must not be below 0");
  if (one.point.x.groups.value_or(1) <= 0) throw InvalidFile("x.groups must be above 0");
  if (one.point.x.queues.value_or(1) <= 0) throw InvalidFile("x.queues must be above 0");
  const auto too_many = [&one](std::size_t count) { return count > one.values.size(); };
  if (std::ranges::any_of(one.visits, too_many)) throw InvalidFile("visits must count the values, each of them once");
  const auto of_visits = std::accumulate(one.visits.begin(), one.visits.end(), std::size_t{0});
  if (!one.visits.empty() && of_visits != one.values.size())
    throw InvalidFile("visits must count the values, each of them once");
  const double bytes = one.point.x.bytes.value_or(1);
  if (!(bytes >= 1 && bytes <= largest_set_bytes))
    throw InvalidFile("x.bytes must be a number of bytes that a device may have");
}

void check(const counters::KnownTraffic& known, double most_bytes) {
  constexpr std::size_t most_counters = 1 << 16;
  if (!(known.moved_bytes >= 0 && known.moved_bytes <= most_bytes))
    throw InvalidFile("moved must be a number of bytes that a machine may move");
  for (std::size_t role = 0; role < counters::role_count; ++role) {
    if (known.counting[static_cast<counters::Role>(role)].counters > most_counters)
      throw InvalidFile("counters must be as many as a machine may have");
  }
}

void check(const CounterLine& counter) {
  constexpr double longest_seconds = 1e9;
  constexpr double most_bytes = 1e18;
  const counters::Traffic& traffic = counter.traffic;
  if (!(traffic.begin_seconds >= 0 && traffic.begin_seconds <= longest_seconds))
    throw InvalidFile("t must be a number of seconds from 0 on");
  if (!(traffic.seconds > 0 && traffic.seconds <= longest_seconds))
    throw InvalidFile("dt must be a number of seconds above 0");
  if (!(traffic.scale >= 1 && traffic.scale <= most_bytes)) throw InvalidFile("scale must be 1 or more");
  if (!std::isfinite(traffic.spread.value_or(0))) throw InvalidFile("spread must be finite");
  if (counter.known) check(*counter.known, most_bytes);
  for (const auto& [role, name] : role_names) {
    const double amount = traffic.amounts[role].value_or(0);
    if (!(amount >= 0 && amount <= most_bytes))
      throw InvalidFile(std::string(name) + " must be a count that a machine may reach");
  }
}

void check(const DeviceRecord& device) {
  if (device.line_bytes > largest_line_bytes) throw InvalidFile("line_bytes must be a cache line's");
}

void check(const RunLine& run) {
  if (run.schema != schema_version) {
    throw InvalidFile("this file has schema " + std::to_string(run.schema) + ", this program reads " +
                      std::to_string(schema_version));
  }
}

template <typename Other>
void check(const Other&) {}

/// A line with its text, and the time of what it measured: below 0 for what is no measurement.
struct TimedLine {
  double t_seconds;
  std::string_view text;
  Line line;
};

double time_of(const Line& line) {
  if (const auto* sample = std::get_if<SampleLine>(&line)) return sample->t_seconds;
  const auto* counter = std::get_if<CounterLine>(&line);
  return counter != nullptr ? counter->traffic.begin_seconds : -1;
}

/// Whether two samples are parts of one visit: of a point at one time.
bool are_of_one_visit(const SampleLine& one, const SampleLine& other) {
  return one.t_seconds > 0 && one.t_seconds == other.t_seconds && one.origin == other.origin &&
         measure::are_of_one_point(one.measurement, other.measurement);
}

/// The lines with measurements in the order of their time, and with each visit in one sample: in which order they
/// stand in a file says nothing.
std::vector<Line> by_time(std::vector<TimedLine> lines) {
  std::ranges::stable_sort(lines, {}, [](const TimedLine& one) {
    // What has no time keeps its place.
    return std::pair(one.t_seconds, one.t_seconds > 0 ? one.text : std::string_view());
  });
  std::vector<Line> sorted;
  for (TimedLine& one : lines) {
    if (auto* sample = std::get_if<SampleLine>(&one.line); sample != nullptr && one.t_seconds > 0) {
      const auto at_this_time = sorted | std::views::reverse | std::views::take_while([&one](const Line& earlier) {
                                  return time_of(earlier) == one.t_seconds;
                                });
      const auto same = std::ranges::find_if(at_this_time, [sample](const Line& earlier) {
        const auto* other = std::get_if<SampleLine>(&earlier);
        return other != nullptr && are_of_one_visit(*other, *sample);
      });
      if (same != at_this_time.end()) {
        measure::Measurement& visit = std::get<SampleLine>(*same).measurement;
        std::ranges::copy(sample->measurement.values, std::back_inserter(visit.values));
        if (!visit.visits.empty()) visit.visits = {visit.values.size()};
        continue;
      }
    }
    sorted.push_back(std::move(one.line));
  }
  return sorted;
}

}  // namespace

std::vector<Line> read_records(std::string_view text, const std::string& name, std::string& note) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // some editors write it before UTF-8
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<TimedLine> lines;
  std::unordered_set<std::string_view> seen;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', start);
    const bool finished = end != std::string::npos;
    const std::string_view one = text.substr(start, finished ? end - start : std::string::npos);
    start = finished ? end + 1 : text.size();
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    // A second run is none, even where it is the first once more.
    if (!seen.insert(one).second && (lines.empty() || one != lines.front().text)) continue;
    const std::string where = name + ", line " + std::to_string(number);
    // The library passes over a mark in front of each text.
    const auto json = one.starts_with(byte_order_mark) ? nlohmann::json(nlohmann::json::value_t::discarded)
                                                       : nlohmann::json::parse(one, nullptr, false);
    if (json.is_discarded() && !finished) {
      note = where + ": unfinished and skipped; the run was killed while it wrote it";
      break;
    }
    try {
      if (json.is_discarded()) throw InvalidFile("this is not valid JSON");
      if (!json.is_object()) throw InvalidFile("this is no record");
      if (!is_kind_of_file(json)) continue;
      Line line = line_of(json);
      if (lines.empty() != std::holds_alternative<RunLine>(line)) {
        throw InvalidFile(lines.empty() ? "a record file begins with a run record"
                                        : "a second run begins here: keep one run in a file");
      }
      std::visit([](const auto& read) { check(read); }, line);
      check_by_schema(json);
      const double t_seconds = time_of(line);
      lines.push_back({t_seconds, one, std::move(line)});
    } catch (const InvalidFile& problem) {
      throw InvalidFile(where + ": " + problem.what());
    }
  }
  if (lines.empty()) throw InvalidFile(name + ": there are no records in this file");
  return by_time(std::move(lines));
}

std::vector<Line> read_file(const std::filesystem::path& path, std::string& note) {
  return read_records(text_of(path), path.string(), note);
}

}  // namespace sonde::records
