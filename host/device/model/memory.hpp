#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "device/model/cache.hpp"
#include "device/model/description.hpp"

namespace sonde::device::model {

/// Whether anything beside the program keeps the fabric between the GPU and its memory busy.
enum class FabricState { idle, loaded };

enum class Transfer { read, write };

/// Lines in flight from each compute unit, which give a level's rate at its latency where a model file states none.
inline constexpr double lines_in_flight = 64;

/// Bytes by Transfer, then by the level that served them.
using Traffic = std::array<std::vector<double>, 2>;
/// Adds `times` times the bytes of `more`, of which `sum` may have no levels yet.
void add(Traffic& sum, const Traffic& more, double times);

/// The caches, the translation and the memory behind them: what every access costs. Addresses from `host_begin` on are
/// the host's memory, which lies behind the same caches, but for those that it bypasses.
class Memory {
 public:
  Memory(const Description& description, std::uint64_t host_begin);

  /// Begins a dispatch: time counts from zero, and accesses come from this compute unit.
  void start(std::uint32_t compute_unit);
  /// Accesses come from this compute unit from here on.
  void enter(std::uint32_t compute_unit) {
    work_off();
    compute_unit_ = compute_unit;
  }

  /// One access to a physical address. Costs are worked out in batches: the simulated program need not
  /// wait, and a batch that runs through one cache after the other gives the same hits.
  void access(std::uint64_t address) {
    if (const bool in_host = address >= host_begin_; in_host != in_host_) {
      work_off();
      in_host_ = in_host;
    }
    addresses_[count_++] = address;
    if (count_ == addresses_.size()) work_off();
  }

  /// Touches every line of a range that many loads or stores in flight read or write; nothing waits for it.
  void stream(std::uint64_t address, std::uint64_t bytes, Transfer transfer);
  /// The traffic streamed since start().
  [[nodiscard]] const Traffic& streamed() const { return streamed_bytes_; }
  /// Counts the traffic as streamed so many times; the caches stay as they are.
  void add_streamed(const Traffic& traffic, double times) { add(streamed_bytes_, traffic, times); }
  /// The time for all that was streamed since start() when `groups` work-groups share it: reads and writes overlap.
  [[nodiscard]] double streamed_ns(std::uint32_t groups) const;

  /// Lets others read so much from a level until the next start(): from 0.6 of its rate on it answers later, at its
  /// full rate after twice its latency.
  void load(std::size_t level, double gbps) { loads_gbps_[level] = gbps; }
  /// The accesses since start() that each level has served, without streams.
  [[nodiscard]] const std::vector<std::uint64_t>& served() {
    work_off();
    return hits_;
  }
  /// The looks into caches so far, which is what simulating takes the host's time for.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  /// The levels with the rates that are used where the file states none, then the host's memory.
  [[nodiscard]] const std::vector<ModelLevel>& levels() const { return levels_; }
  [[nodiscard]] const ModelLevel& device_memory() const { return levels_[levels_.size() - 2]; }
  /// The number of a level's caches.
  [[nodiscard]] std::size_t caches(std::size_t level) const { return caches_[level].size(); }
  [[nodiscard]] std::uint32_t compute_units() const { return compute_units_; }
  /// The number of groups that get all of a level's rate.
  [[nodiscard]] std::uint32_t saturated_by() const { return saturated_by_; }

  /// The time of the accesses since start(), one after the other.
  [[nodiscard]] double elapsed_ns(FabricState fabric);

 private:
  struct TranslationBuffer {
    std::uint64_t page_bytes;
    double penalty_ns;
    WideSets pages;
    std::uint64_t last_page = ~std::uint64_t{0};
    std::uint64_t misses = 0;
  };

  void work_off();

  std::vector<ModelLevel> levels_;  ///< the last is the host's memory, the one before it the device's
  std::uint64_t host_begin_;
  bool bypasses_;         ///< the host's memory is in no memory-side cache
  bool in_host_ = false;  ///< whether the accesses that have not been worked off lie in the host's memory
  double idle_factor_;
  std::uint64_t seed_;
  std::uint32_t compute_unit_ = 0;
  std::vector<std::vector<std::optional<Cache>>> caches_;  ///< by level, then by unit; made at first use
  std::vector<TranslationBuffer> tables_;                  ///< each asked where the one before has missed
  std::array<std::uint64_t, 256> addresses_;
  std::size_t count_ = 0;
  std::uint64_t looks_ = 0;
  std::vector<LineRequest> requests_;
  std::vector<LineRequest> finer_requests_;
  std::vector<std::uint64_t> hits_;  ///< by level
  std::vector<std::uint64_t> stream_hits_;
  std::vector<double> loads_gbps_;  ///< by level
  Traffic streamed_bytes_;
  std::uint32_t compute_units_;
  std::uint32_t saturated_by_;
  bool streams_ = false;  ///< whether a stream is being counted, whose translation is overlapped too
};

inline constexpr std::size_t fabric_stations = 16;

// fabric_traffic.cpp has these two.

/// Adds what the accesses since Memory::start() moved to what real counters between the GPU's own caches and memory
/// see: requests spread over stations, though not evenly, and those of a CPU, which no memory-side cache serves.
void add_dispatch(SimulatedTraffic& traffic, Memory& memory, double nanoseconds);
/// The same of what an engine copied, which memory read and wrote and no cache kept.
void add_copies(SimulatedTraffic& traffic, double bytes, double nanoseconds);

}  // namespace sonde::device::model
