#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::test {

struct Span {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
  [[nodiscard]] bool overlaps(double from, double to) const { return from <= high && low <= to; }
};

/// The share within which a careful reader reads the ends of a range off a curve.
inline constexpr double as_read = 0.02;

/// A level's size and latency as a careful reader accepts them. No size: it is memory, or its end was not
/// seen.
struct ExpectedLevel {
  std::optional<Span> bytes;
  Span latency_ns;
  bool is_unfinished = false;  ///< the curve ends within the climb to it
};

/// No level may have both its size and its latency in here.
struct NotLevel {
  Span bytes;
  Span latency_ns;
  std::string why;
};

struct ExpectedTranslation {
  Span bytes;
  Span added_ns;
};

/// One machine of tests/data: NAME.jsonl and NAME.expected.json; README.md there describes both.
struct RecordedMachine {
  analysis::LatencyCurves curves;
  std::vector<ExpectedLevel> levels;
  std::size_t most_levels = 0;  ///< with every other point left out
  std::vector<NotLevel> not_levels;
  std::vector<ExpectedTranslation> translation;
  std::string why;  ///< how a careful reader decides
};

/// tests/data
const std::filesystem::path& recorded_folder();

/// The machines' names, sorted.
std::vector<std::string> recorded_machines(const std::filesystem::path& folder = recorded_folder());

/// Throws std::runtime_error, naming the file, where one is missing or cannot be read.
RecordedMachine recorded_machine(const std::string& name, const std::filesystem::path& folder = recorded_folder());

}  // namespace sonde::test
