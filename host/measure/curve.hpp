#pragma once

#include <span>

#include "measure/words.hpp"

// A probe names each curve and each kind of finding once, and the records, the tables, the pictures and the comparison
// are made from these declarations.
namespace sonde::device {
class Device;
}

namespace sonde::measure {

struct Point;
struct Request;
struct Workload;

enum class Better { neither, higher, lower };

/// A unit, and what follows from it unless a declaration says otherwise.
struct Unit {
  std::string_view name;
  Better better = Better::neither;
  int per_clock = 0;  ///< the effect of a slower core clock: 1 makes a time longer, -1 makes a rate lower
};

namespace units {
inline constexpr Unit bytes{"bytes"};
inline constexpr Unit cycles{"cycles"};
inline constexpr Unit ratio{"ratio"};
inline constexpr Unit ratio_of_gain{"ratio", Better::higher};
inline constexpr Unit ratio_of_loss{"ratio", Better::lower};
inline constexpr Unit ns{"ns", Better::lower};
inline constexpr Unit us{"us", Better::lower};
inline constexpr Unit ms{"ms", Better::lower};
inline constexpr Unit gbps{"GB/s", Better::higher};
inline constexpr Unit gops{"Gop/s", Better::higher};
// Those of work that goes at the pace of the device's core.
inline constexpr Unit core_ns{"ns", Better::lower, 1};
inline constexpr Unit core_us{"us", Better::lower, 1};
inline constexpr Unit core_gbps{"GB/s", Better::higher, -1};
inline constexpr Unit core_gops{"Gop/s", Better::higher, -1};
}  // namespace units

/// The horizontal axis of a curve's pictures.
struct Axis {
  std::string_view key;  ///< a key of `Coordinates`
  std::string_view title;
  std::string_view unit = "";
  bool logarithmic = false;
};

namespace axes {
inline constexpr Axis address{"address", "Byte of a line at which the locked word begins"};
inline constexpr Axis bytes{"bytes", "Working set", "bytes", true};
inline constexpr Axis cpu_threads{"cpu_threads", "CPU threads"};
inline constexpr Axis from{"from", "From CPU"};
inline constexpr Axis gpu_gbps{"gpu_gbps", "What the GPU moves", "GB/s"};
inline constexpr Axis groups{"groups", "Work-groups", "", true};
inline constexpr Axis height{"height", "Lines of pixels"};
inline constexpr Axis hops{"hops", "Nodes further on"};
inline constexpr Axis load{"load", "Share of the full load"};
inline constexpr Axis operations_per_byte{"operations_per_byte", "Operations a byte", "", true};
inline constexpr Axis seconds{"seconds", "Time", "s"};
inline constexpr Axis none{"", ""};
}  // namespace axes

/// Curves of one table: a row for each value of `rows`, a column for each of `columns`, in the cells medians. Both are
/// keys of series or x, several with ", " between; "title" stands for a curve's own title. Curves that differ in
/// further words have a table each.
struct Table {
  std::string_view title;
  std::string_view rows;
  std::string_view columns;
  std::string_view note = "";  ///< a sentence that the numbers cannot be read without
};

/// A curve, or a family of curves that differ in the words of `varies`. Each is one line of a picture.
struct Curve {
  std::string_view name;  ///< its name in code, unique in its probe
  Words words = {};
  std::string_view varies = "";  ///< keys of series whose word a point chooses, ", " between them
  std::string_view title;
  Unit unit;
  Axis axis = axes::bytes;
  Better better = unit.better;
  int per_clock = unit.per_clock;
  const Table* table = nullptr;
  /// Work for one point; the same request gives the same work. Null for a curve that is only seen beside another one,
  /// or concluded.
  Workload (*prepare)(device::Device& device, const Point& point, const Request& request) = nullptr;
};

/// The way in which `compare` holds two findings of a kind against each other.
enum class Comparison { none, by_ratio, by_difference, by_word };

/// A kind of finding: `name` is its fixed word in records.
struct FindingKind {
  std::string_view name;
  std::string_view heading;  ///< "Latency of a copy"
  std::string_view meaning;  ///< one sentence
  Unit unit = {""};
  Better better = unit.better;
  std::string_view named_by = "";  ///< keys of series that tell findings of this kind apart, ", " between them
  std::string_view feature = "";   ///< its name in `compare`: "copy latency"; empty where it is not compared
  Comparison compared = feature.empty() ? Comparison::none : Comparison::by_ratio;
  int per_clock = unit.per_clock;
};

/// A list of keys with ", " between them.
class Keys {
 public:
  explicit constexpr Keys(std::string_view list) : list_(list) {}
  [[nodiscard]] bool contains(std::string_view wanted) const;
  /// Calls `visit` with each key in turn.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::string_view left = list_; !left.empty();) {
      const std::size_t end = left.find(", ");
      visit(left.substr(0, end));
      left = end == std::string_view::npos ? std::string_view() : left.substr(end + 2);
    }
  }

 private:
  std::string_view list_;
};

/// The declared curve that has such words and values in such a unit; for cycles the one in ns. Null where none is
/// declared.
const Curve* find_curve(std::span<const Curve* const> curves, const Words& words, std::string_view unit);

}  // namespace sonde::measure
