#pragma once

#include "records/lines.hpp"

namespace sonde::summary {

using measure::Words;

/// The terminal that the text is printed on.
struct TerminalFormat {
  int columns = 100;    ///< no line is wider, unless a word is
  bool colour = false;  ///< allows SGR codes
};

/// The results of a run for a person: tables and a small chart for each device, and what was not measured and why.
/// `lines` are the run's records.
std::string summary(std::span<const records::DeviceRecord> devices, std::span<const records::Line> lines,
                    const TerminalFormat& format);

/// The levels of a latency curve and of a bandwidth curve, as a table that can be pasted into a message: a level a row,
/// sizes from latency where it has them. Either may be empty.
std::string level_table(std::span<const measure::FoundLevel> latency, std::span<const measure::FoundLevel> bandwidth,
                        int columns);

/// "48 KiB, 2 MiB (the system)": the stated sizes of caches, and who states them.
std::string sizes_by_source(std::span<const device::StatedCache> caches);

// What follows is for the sources of this folder.

/// The records of one probe of a device through one API, in their order; a point of several visits is one sample.
struct Results {
  std::map<Words, std::vector<const measure::Measurement*>> samples;
  std::vector<measure::FoundLevel> levels;
  std::vector<records::FindingLine> findings;
};

/// The skips, or the errors, that have one reason.
struct Unmeasured {
  bool failed;
  records::Origin origin;
  measure::Point first;
  std::string reason;
  int others = 0;
};

/// The records of a device, whatever the API and the probe.
struct OfDevice {
  std::vector<const measure::Measurement*> points;   ///< all that were measured
  std::vector<const records::CounterLine*> counted;  ///< of counters beside points
  std::vector<Unmeasured> unmeasured;
};

/// A run's records, sorted for the tables. The lines must outlive it.
class View {
 public:
  explicit View(std::span<const records::Line> lines);

  /// The results of a probe, or the records of a device; empty where nothing was recorded.
  [[nodiscard]] const Results& of(const std::string& device, device::Api api, std::string_view probe) const;
  [[nodiscard]] const OfDevice& of(const std::string& device) const;
  [[nodiscard]] bool has_levels() const;

 private:
  void add(const measure::Measurement& sample, Results& results);
  void add_unmeasured(bool failed, const records::SkipLine& line);

  std::map<records::Origin, Results> results_;
  std::map<std::string, OfDevice> devices_;
  std::deque<measure::Measurement> visited_;  ///< points of several visits, put together
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

// Each of these texts is empty where nothing was measured, or found, that it shows.

/// The tables that a probe's curves declare, drawn from what was recorded: a row for each value of the table's rows, a
/// column for each of its columns, in the cells medians.
std::string pivot_tables(std::string_view probe, const Results& results, device::Api api, int columns);

/// The findings of a probe: kinds of which there are several as tables, by the words that tell them apart, others by
/// their evidence.
std::string findings(std::string_view probe, const Results& results, int columns);

/// "vector, 4 KiB": the words and numbers of a point, for a person.
std::string place_text(const measure::Point& point);

/// The latency of a dependent load by working set, an API a column, with notes.
std::string latency_table(const records::DeviceRecord& device, const View& view, int columns);

/// The curves of the latency table as a small chart. `colour` allows SGR codes.
std::string latency_chart(const std::string& device, const View& view, int columns, bool colour);

/// The findings about each kind of memory: whether it is shared in either direction, and how far it is from the GPU and
/// from the CPU.
std::string memory_kinds_table(const Results& zero_copy, const Results& host_memory, device::Api api, int columns);

/// The largest point of each curve that counters saw: bytes at the fabric and at memory for each byte that the kernel
/// asked for, and the share that memory did not have to move.
std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns);

/// The lists of skipped and of failed measurements, each with its reason.
std::string unmeasured_list(std::span<const Unmeasured> unmeasured, int columns);

}  // namespace sonde::summary
