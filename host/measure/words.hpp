#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

// The words that name a curve in a record's `series`, and the numbers that place a point on it, its `x`. Both are
// written and parsed here and nowhere else; everybody else has them as types.
namespace sonde::measure {

/// A short text that is compared by its content and copied like a number. The text of a literal stays where it is, any
/// other is kept until the program ends: these are names, of which a run has few.
class Name {
 public:
  constexpr Name() = default;
  template <std::size_t Length>
  consteval Name(const char (&literal)[Length]) : text_(literal, Length - 1) {}
  Name(const std::string& text);

  [[nodiscard]] constexpr bool empty() const { return text_.empty(); }
  [[nodiscard]] constexpr std::string_view text() const { return text_; }
  [[nodiscard]] std::string str() const { return std::string(text_); }

  friend constexpr auto operator<=>(const Name&, const Name&) = default;

 private:
  std::string_view text_;
};

// Each enumeration is followed by its words in records, in the same order.
enum class ArithmeticType { fp64, fp32, fp16, bf16, int64, int32, int16, int8 };
constexpr std::array<std::string_view, 8> spellings(ArithmeticType) {
  return {"fp64", "fp32", "fp16", "bf16", "int64", "int32", "int16", "int8"};
}

enum class Beside { nothing, light_stream, kernel, gpu_load, pairs, split_locks };
constexpr std::array<std::string_view, 6> spellings(Beside) {
  return {"nothing", "light-stream", "kernel", "gpu-load", "pairs", "split-locks"};
}

enum class BytesCounted { program, bus };
constexpr std::array<std::string_view, 2> spellings(BytesCounted) { return {"program", "bus"}; }

enum class Chain { parallel, dependent };
constexpr std::array<std::string_view, 2> spellings(Chain) { return {"parallel", "dependent"}; }

enum class CoreKind { performance, efficiency, low_power };
constexpr std::array<std::string_view, 3> spellings(CoreKind) { return {"performance", "efficiency", "low-power"}; }

enum class Counted { total, to_device, to_host };
constexpr std::array<std::string_view, 3> spellings(Counted) { return {"total", "to-device", "to-host"}; }

enum class Direction { to_device, to_host, both, within };
constexpr std::array<std::string_view, 4> spellings(Direction) { return {"to-device", "to-host", "both", "within"}; }

enum class Engine { driver, transfer, compute_shader };
constexpr std::array<std::string_view, 3> spellings(Engine) { return {"driver", "transfer", "compute-shader"}; }

enum class Exchange { compare_and_swap, store };
constexpr std::array<std::string_view, 2> spellings(Exchange) { return {"compare-and-swap", "store"}; }

enum class Fabric { idle, loaded };
constexpr std::array<std::string_view, 2> spellings(Fabric) { return {"idle", "loaded"}; }

enum class HostMemory { pageable, pinned, imported, map_memcpy };
constexpr std::array<std::string_view, 4> spellings(HostMemory) {
  return {"pageable", "pinned", "imported", "map-memcpy"};
}

enum class LineState { clean, modified };
constexpr std::array<std::string_view, 2> spellings(LineState) { return {"clean", "modified"}; }

enum class Method { timing, counters };
constexpr std::array<std::string_view, 2> spellings(Method) { return {"timing", "counters"}; }

enum class Operation { fma, add, multiply, multiply_add, dot4, reciprocal, square_root, exponential, sine };
constexpr std::array<std::string_view, 9> spellings(Operation) {
  return {"fma", "add", "multiply", "multiply-add", "dot4", "reciprocal", "square-root", "exponential", "sine"};
}

enum class Order { cycle, independent, page };
constexpr std::array<std::string_view, 3> spellings(Order) { return {"cycle", "independent", "page"}; }

enum class PageSize { small, huge };
constexpr std::array<std::string_view, 2> spellings(PageSize) { return {"small", "huge"}; }

enum class Path { vector, scalar, local, constant, image, buffer };
constexpr std::array<std::string_view, 6> spellings(Path) {
  return {"vector", "scalar", "local", "constant", "image", "buffer"};
}

enum class Pattern { read, write, copy, add, triad, scale, read_modify_write, read_2_write_1, read_3_write_1 };
constexpr std::array<std::string_view, 9> spellings(Pattern) {
  return {"read", "write", "copy", "add", "triad", "scale", "read-modify-write", "read-2-write-1", "read-3-write-1"};
}

enum class Pinning { compact, spread };
constexpr std::array<std::string_view, 2> spellings(Pinning) { return {"compact", "spread"}; }

enum class Placement { same_cluster, other_cluster, other_node, same_core, same_node };
constexpr std::array<std::string_view, 5> spellings(Placement) {
  return {"same-cluster", "other-cluster", "other-node", "same-core", "same-node"};
}

enum class QueueRole { writer, reader };
constexpr std::array<std::string_view, 2> spellings(QueueRole) { return {"writer", "reader"}; }

enum class Sharing { shared, separate };
constexpr std::array<std::string_view, 2> spellings(Sharing) { return {"shared", "private"}; }

enum class Side { gpu, cpu };
constexpr std::array<std::string_view, 2> spellings(Side) { return {"gpu", "cpu"}; }

enum class MemoryState { asleep, awake };
constexpr std::array<std::string_view, 2> spellings(MemoryState) { return {"asleep", "awake"}; }

enum class Stores { ordinary, non_temporal };
constexpr std::array<std::string_view, 2> spellings(Stores) { return {"ordinary", "non-temporal"}; }

enum class Writer { cpu, gpu };
constexpr std::array<std::string_view, 2> spellings(Writer) { return {"cpu", "gpu"}; }

/// The words of a record's `series`. A field without a value is absent there. The fields stand in the order of their
/// keys, so that curves sort as their records do.
struct Words {
  std::optional<Beside> beside;  ///< the work that runs meanwhile
  std::optional<BytesCounted> bytes_counted;
  std::optional<Chain> chain;
  std::optional<CoreKind> core;
  std::optional<Counted> counted;
  std::optional<Direction> direction;
  std::optional<Engine> engine;
  std::optional<Exchange> exchange;
  std::optional<Fabric> fabric;  ///< whether memory and the way to it are kept awake: of latency and host-memory alone
  std::optional<HostMemory> host;
  Name level;  ///< "level 1", "memory": the level that holds the working set, or that a finding is about
  std::optional<LineState> line;
  Name memory;  ///< a kind of memory as its API names it: "device", "svm-fine", a Vulkan type's flags joined with +
  std::optional<Method> method;
  std::optional<Operation> operation;
  std::optional<Order> order;
  std::optional<PageSize> pages;
  std::optional<Path> path;
  std::optional<Pattern> pattern;
  std::optional<Pinning> pinning;
  std::optional<Placement> placement;
  std::optional<QueueRole> role;
  std::optional<Sharing> sharing;
  std::optional<Side> side;
  std::optional<MemoryState> state;
  std::optional<Stores> stores;
  std::optional<std::uint32_t> stride_bytes;  ///< "64K" in a record
  std::optional<ArithmeticType> type;
  std::optional<Writer> writer;
  Name unknown;  ///< words of a later version, kept so that its curves stay apart

  friend constexpr auto operator<=>(const Words&, const Words&) = default;
};

/// The numbers of a record's `x`.
struct Coordinates {
  std::optional<double> address;  ///< byte of a line at which a locked word begins
  std::optional<double> bytes;    ///< size of a working set, or bytes that are moved
  std::optional<double> cpu_threads;
  std::optional<double> delay;  ///< units of idle time between the loads of those that keep the memory busy
  std::optional<double> from;   ///< a CPU or a NUMA node: whose memory, or who sends
  std::optional<double> gpu_gbps;
  std::optional<double> groups;
  std::optional<double> height;
  std::optional<double> hops;  ///< every node's cores read the memory of the node so many further on
  std::optional<double> load;  ///< 0 to 1
  std::optional<double> node;  ///< a NUMA node, where the memory is not on the node of `from`
  std::optional<double> operations_per_byte;
  std::optional<double> queues;
  std::optional<double> seconds;
  std::optional<double> to;
  std::optional<double> width;

  friend constexpr auto operator<=>(const Coordinates&, const Coordinates&) = default;
};

/// The same words, with those of `more` added or put in place.
Words with(Words words, const Words& more);
Coordinates with(Coordinates x, const Coordinates& more);

/// The words, or the numbers, of a record by their keys.
std::map<std::string, std::string> written(const Words& words);
std::map<std::string, double> written(const Coordinates& x);

/// Words of a record of `probe`, also as versions before `beside` wrote them: docs/records.md has the table.
Words parse_words(std::string_view probe, const std::map<std::string, std::string>& series);
Coordinates parse_coordinates(const std::map<std::string, double>& numbers);

/// Whether a key may stand in a series, or in an x.
bool is_word_key(std::string_view wanted);
bool is_coordinate_key(std::string_view wanted);

/// The word, or the number, of one key as a record writes it; empty where it is absent.
std::optional<std::string> word_at(const Words& words, std::string_view wanted);
std::optional<double> number_at(const Coordinates& x, std::string_view wanted);

/// The word of a record for one of these enumerators.
template <typename Word>
constexpr std::string_view word_of(Word word) {
  return spellings(Word{})[static_cast<std::size_t>(word)];
}

}  // namespace sonde::measure
