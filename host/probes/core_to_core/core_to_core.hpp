#pragma once

#include <array>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// The curves of core-to-core, and what is concluded from them. `placement` says what lies between the two CPUs.
namespace sonde::probes::core_to_core_probe {

Workload prepare_exchange(device::Device& device, const Point& point, const Request& request);
Workload prepare_exchanges_at_once(device::Device& device, const Point& point, const Request& request);
Workload prepare_held_lines(device::Device& device, const Point& point, const Request& request);
Workload prepare_queue(device::Device& device, const Point& point, const Request& request);
Workload prepare_copy(device::Device& device, const Point& point, const Request& request);

/// A curve over pairs of CPUs; without work it is seen at the points of the one before it.
constexpr Curve over_pairs(std::string_view name, const Words& words, Unit unit, std::string_view title,
                           Prepare prepare = nullptr, const Table* table = nullptr) {
  return {.name = name,
          .words = words,
          .varies = "placement",
          .title = title,
          .unit = unit,
          .axis = axes::from,
          .table = table,
          .prepare = prepare};
}

inline constexpr Table round_trips_by_compare_and_swap{
    .title = "Round trip of a cache line from core to core by compare-and-swap", .rows = "from", .columns = "to"};
inline constexpr Table round_trips_by_stores{
    .title = "Round trip of a cache line from core to core by stores to two lines", .rows = "from", .columns = "to"};

inline constexpr Curve exchange_by_compare_and_swap = over_pairs(
    "exchange-by-compare-and-swap", {.exchange = Exchange::compare_and_swap, .line = LineState::modified}, units::ns,
    "Round trip of a cache line by compare-and-swap", prepare_exchange, &round_trips_by_compare_and_swap);
inline constexpr Curve exchange_by_stores =
    over_pairs("exchange-by-stores", {.exchange = Exchange::store, .line = LineState::modified}, units::ns,
               "Round trip of a cache line by stores to two lines", nullptr, &round_trips_by_stores);
inline constexpr Curve exchange_by_compare_and_swap_beside_pairs =
    over_pairs("exchange-by-compare-and-swap-beside-pairs",
               {.beside = Beside::pairs, .exchange = Exchange::compare_and_swap, .line = LineState::modified},
               units::ns, "Round trip of a cache line by compare-and-swap, several pairs at once",
               prepare_exchanges_at_once, &round_trips_by_compare_and_swap);
inline constexpr Curve exchange_by_stores_beside_pairs = over_pairs(
    "exchange-by-stores-beside-pairs",
    {.beside = Beside::pairs, .exchange = Exchange::store, .line = LineState::modified}, units::ns,
    "Round trip of a cache line by stores to two lines, several pairs at once", nullptr, &round_trips_by_stores);
inline constexpr Curve modified_line =
    over_pairs("modified-line", {.line = LineState::modified, .role = QueueRole::reader}, units::ns,
               "Load of a line that another core has modified", prepare_held_lines);
/// Seen where a program can flush lines.
inline constexpr Curve clean_line = over_pairs("clean-line", {.line = LineState::clean, .role = QueueRole::reader},
                                               units::ns, "Load of a line that another core holds as memory has it");
inline constexpr Curve copy_writer =
    over_pairs("copy-writer", {.pattern = Pattern::copy, .role = QueueRole::writer}, units::gbps,
               "Writer of a copy that is written whole before it is read", prepare_copy);
inline constexpr Curve copy_reader =
    over_pairs("copy-reader", {.pattern = Pattern::copy, .role = QueueRole::reader}, units::gbps,
               "Reader of a copy that is written whole before it is read");
inline constexpr Curve queue_writer = over_pairs("queue-writer", {.role = QueueRole::writer}, units::gbps,
                                                 "Writer of a queue from core to core", prepare_queue);
inline constexpr Curve queue_reader =
    over_pairs("queue-reader", {.role = QueueRole::reader}, units::gbps, "Reader of a queue from core to core");

inline constexpr std::array curves{&exchange_by_compare_and_swap,
                                   &exchange_by_stores,
                                   &exchange_by_compare_and_swap_beside_pairs,
                                   &exchange_by_stores_beside_pairs,
                                   &modified_line,
                                   &clean_line,
                                   &copy_writer,
                                   &copy_reader,
                                   &queue_writer,
                                   &queue_reader};

inline constexpr FindingKind exchange_latency{
    .name = "exchange-latency",
    .heading = "Round trip between cores",
    .meaning =
        "The time of a round trip of a cache line, the median over pairs of CPUs; where several pairs went at "
        "once, `times_alone` in details is how many times as long as alone those took that also went alone.",
    .unit = units::ns,
    .named_by = "exchange, placement, beside",
    .feature = "round trip between cores"};
inline constexpr FindingKind held_line_latency{
    .name = "held-line-latency",
    .heading = "Loading what another core holds",
    .meaning =
        "The time of a load of a line that another CPU holds; `memory_at_other_side` in details is the same with "
        "the memory on the reader's node.",
    .unit = units::ns,
    .named_by = "line, placement",
    .feature = "held line's latency"};
inline constexpr FindingKind queue_rate{
    .name = "queue-rate",
    .heading = "A queue from core to core",
    .meaning = "The rate at one end of a queue of chunks of 512 bytes from CPU to CPU.",
    .unit = units::gbps,
    .named_by = "role, placement",
    .feature = "queue between cores"};
inline constexpr FindingKind copy_rate{
    .name = "copy-rate",
    .heading = "A copy from core to core, by way of memory",
    .meaning =
        "The rate at one end of a copy from CPU to CPU that is written whole before it is read, so that it goes "
        "by way of memory.",
    .unit = units::gbps,
    .named_by = "role, placement",
    .feature = "copy between cores"};

inline constexpr std::array finding_kinds{&exchange_latency, &held_line_latency, &queue_rate, &copy_rate};

// --- which CPUs exchange what: a function of the machine's topology alone ---

/// Two hardware threads, each by the core that it belongs to: the first ones of two cores, or the first two of one.
struct CpuPair {
  const cpu::Core* from = nullptr;
  const cpu::Core* to = nullptr;

  [[nodiscard]] int from_cpu() const { return from->cpu; }
  [[nodiscard]] int to_cpu() const { return from == to ? to->siblings.front() : to->cpu; }
  /// The parts of the machine that lie between the two.
  [[nodiscard]] Placement placement() const;

  friend bool operator==(const CpuPair&, const CpuPair&) = default;
};

/// The machine's cores in the system's order.
std::vector<const cpu::Core*> all_cores(const cpu::Topology& machine);

/// How much of everything a pair does.
struct ExchangeSize {
  std::uint32_t lines = 32;  ///< each on a page of its own
  std::uint32_t samples = 5;
  std::uint32_t round_trips = 100;  ///< in one sample
};
ExchangeSize exchange_size(const cpu::Topology& machine);

/// Every ordered pair of cores, and the two hardware threads of each core, once, in groups that exchange lines at the
/// same time: in each group no core twice, and pairs from all over the machine.
class Tournament {
 public:
  Tournament(const cpu::Topology& machine, std::vector<const cpu::Core*> cores);

  /// The number of pairs that hardly meet in a fabric that is made for all cores: eight, no more than leave each a
  /// quarter of the cores, and within what a control group leaves of CPU time.
  [[nodiscard]] std::size_t pairs_at_once() const { return at_once_; }

  [[nodiscard]] const std::vector<std::vector<CpuPair>>& groups() const { return groups_; }
  /// The group that begins with this pair, which one does.
  [[nodiscard]] const std::vector<CpuPair>& group_of(const CpuPair& first) const;

 private:
  void add_groups_of(const std::vector<CpuPair>& pairs);

  std::size_t at_once_;
  std::vector<std::vector<CpuPair>> groups_;
};

/// So many chunks go through the queue, each of a line with its number and of data.
inline constexpr int queue_chunks = 8192;

/// Everything that is asked of a machine with so much memory. The first points have a pair of each placement; then
/// pairs from all over the machine come in an order of which every beginning is spread over it.
std::vector<Point> core_to_core_points(const cpu::Topology& machine, const Request& request,
                                       std::uint64_t memory_bytes = 16ull << 30);

/// The seconds of what a look has; the closest has everything.
inline double seconds_of_look(Look look) { return by_look(look, 3.0, 30.0, 1e9); }
/// The beginning that takes so many seconds, and all that has a size where the user asked for sizes.
std::vector<Point> within_seconds(const Request& request, std::span<const Point> points, double seconds);

/// The pair of a point of these. Throws device::Unsupported where this process may not use both CPUs.
CpuPair pair_of(const Point& point, const cpu::Topology& machine);

/// A finding for each curve and placement: the median over its pairs; of pairs that went at once also compared with
/// what they took alone.
Conclusion conclude(const Request& request, std::span<const Measurement> measurements);

}  // namespace sonde::probes::core_to_core_probe
