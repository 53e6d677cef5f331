#pragma once

#include "measure/measurement.hpp"
#include "workloads/stream/stream.hpp"

// A walk beside a load: the work-groups that load, the delays that probes choose for them, and what is concluded.
namespace sonde::workloads {

/// The memory that other work-groups read while one walks, and how.
struct BackgroundLoad {
  StreamShape shape;  ///< its groups run beside the walk's
  Sharing sharing = Sharing::separate;
  std::uint64_t bytes = 0;
  std::uint32_t delay = 0;  ///< between two rounds; kernels/chase_loaded.cl says in what
  bool absent = false;      ///< no group reads, so that the same kernel walks alone
};

/// The groups beside the walk of kernels/chase_loaded.cl: their memory, their arguments, and the proof of what they
/// read.
class BackgroundStream {
 public:
  BackgroundStream(device::Device& device, const BackgroundLoad& load, device::Use use, std::uint64_t seed);

  device::Buffer* memory() const { return memory_.get(); }
  std::uint32_t groups() const { return absent_ ? 0 : walk_.shape.groups; }
  /// The cursor has the walk's own words, then those of each group.
  std::size_t cursor_words() const { return words_of_walk + std::size_t{2} * groups(); }
  /// The kernel's scalars for the next launch.
  std::vector<std::uint32_t> scalars(std::uint32_t trips, std::uint32_t launch);

  /// Checks what a launch left in the cursor: says why the groups did not read what they claim; nothing when they did.
  std::optional<std::string> proof_failure(std::span<const std::uint32_t> cursor);
  /// Bytes that the groups read in the launch that was checked last.
  std::uint64_t bytes() const { return bytes_; }
  /// Bytes that all groups read in a round.
  double round_bytes() const { return static_cast<double>(blocks_per_round * walk_.trip_bytes()); }
  /// The share of the rounds that it may make which the busiest group made. At 1 that group ended by itself, maybe
  /// before the walk did.
  double share_of_rounds() const { return static_cast<double>(longest_) / most_rounds_; }

 private:
  static constexpr std::size_t words_of_walk = 3;
  static constexpr std::uint32_t blocks_per_round = 4;

  bool absent_;
  std::uint32_t delay_;
  std::uint32_t most_rounds_;
  StreamWalk walk_;
  std::unique_ptr<device::Buffer> memory_;
  StretchSums sums_;
  std::vector<std::uint32_t> sums_before_;  ///< what each group's word of sums held
  std::uint64_t start_ = 0;                 ///< of the launch that is checked
  std::uint64_t next_start_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint32_t longest_ = 0;
};

/// The bandwidth of a load that waited so long between its rounds.
struct ReachedLoad {
  double delay = 0;
  double gbps = 0;  ///< above zero
};

/// The delays that may be asked for, beside none.
struct LoadDelays {
  double first = 1;    ///< what is tried after none: about what a round takes by itself
  double longest = 1;  ///< with more, too little would move to be counted
};

/// The delay that cuts the widest gap in bandwidth in halves; nothing where there are as many points as are wanted, or
/// all gaps are narrow enough or cannot be cut. `by_delay`: the shortest first. A round takes a + b * delay, so one
/// over the bandwidth is interpolated.
std::optional<double> delay_in_the_widest_gap(const std::vector<ReachedLoad>& by_delay, std::size_t wanted_points,
                                              const LoadDelays& delays);

/// A sentence about a point that other programs disturbed; empty where they did not.
std::string describe_disturbance(const measure::State& state);

/// "1.3 times as long", and where so few digits tell no difference "1.02 times as long" or "as long".
std::string times_as_long(double ratio, int digits);

inline constexpr measure::FindingKind idle_latency{
    .name = "idle-latency",
    .heading = "Latency without load",
    .meaning =
        "The time of a load while nothing else loads memory; of the CPU itself `p90_ns` and `p99_ns` in details "
        "are its windows' percentiles.",
    .unit = measure::units::core_ns,
    .feature = "latency without load"};
inline constexpr measure::FindingKind full_load_latency{
    .name = "full-load-latency",
    .heading = "Latency under full load",
    .meaning =
        "The time of a load beside the highest load; of the CPU itself details have `p90_ns` and `p99_ns` of its "
        "windows, and `load_gbps` that the load moved.",
    .unit = measure::units::core_ns,
    .feature = "latency under full load"};

}  // namespace sonde::workloads
