#pragma once

#include "records/lines.hpp"

namespace sonde::summary {

using measure::Words;

/// A finding with the word of its kind.
struct NamedFinding {
  std::string name;
  measure::Finding finding;
};

/// The records of one probe of a device through one API, in their order; a point of several visits is one sample.
struct Results {
  std::map<Words, std::vector<const measure::Measurement*>> samples;
  std::vector<measure::FoundLevel> levels;
  std::vector<NamedFinding> findings;
};

/// The skips, or the errors, that have one reason.
struct Unmeasured {
  bool failed;
  records::Origin origin;
  measure::Point first;
  std::string reason;
  int others = 0;
};

/// A run's records, sorted for the tables. The lines must outlive it.
class View {
 public:
  explicit View(std::span<const records::Line> lines);

  /// The results of a probe, empty where nothing was recorded.
  [[nodiscard]] const Results& of(const std::string& device, device::Api api, std::string_view probe) const;
  /// The measured points of all probes of a device.
  [[nodiscard]] std::span<const measure::Measurement* const> points(const std::string& device) const;
  [[nodiscard]] std::span<const Unmeasured> unmeasured(const std::string& device) const;
  /// The records of counters beside the points of a device.
  [[nodiscard]] std::span<const records::CounterLine* const> counted(const std::string& device) const;
  [[nodiscard]] bool has_levels() const;

 private:
  void add(const measure::Measurement& sample, Results& results);
  void add_unmeasured(bool failed, const records::Origin& origin, const std::optional<measure::Point>& point,
                      const std::string& reason);

  std::map<records::Origin, Results> results_;
  std::deque<measure::Measurement> visited_;  ///< points of several visits, put together
  std::map<std::string, std::vector<const measure::Measurement*>> points_;
  std::map<std::string, std::vector<const records::CounterLine*>> counted_;
  std::map<std::string, std::vector<Unmeasured>> unmeasured_;
};

/// A curve's points by the bytes of their working sets.
using BySize = std::map<double, const measure::Measurement*>;

/// The points that are at a size and at no other number.
BySize by_size(std::span<const measure::Measurement* const> samples, const std::string& unit);

/// Whether a row of `row_bytes` stands for what was measured over `bytes`: within a tenth.
bool is_near(double bytes, double row_bytes);

/// The point that is nearest to `bytes`; null where none is near.
const measure::Measurement* near(const BySize& curve, double bytes);

/// The rows of a table that has no room for every size.
inline constexpr std::array<double, 11> round_sizes{4 << 10,  16 << 10, 64 << 10,  256 << 10, 1 << 20,        4 << 20,
                                                    16 << 20, 64 << 20, 256 << 20, 1 << 30,   4.0 * (1 << 30)};

/// Rows in bytes for such sizes: all of them where they are few, else round ones and the largest.
std::vector<double> rows_of_sizes(std::span<const double> measured_bytes);

/// The cell with a star where others disturbed the measurement.
std::string marked(std::string cell, const measure::Measurement& measurement);

/// The median of a point with three digits, marked; empty where there is none.
std::string median_cell(const measure::Measurement* point);

}  // namespace sonde::summary
