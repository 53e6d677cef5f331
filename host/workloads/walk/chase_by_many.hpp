#pragma once

#include "measure/workload.hpp"

// Laps of walks by many work-items at once, which nobody times.
namespace sonde::workloads {

/// Hops of each item of kernels/chase_by_many.cl in a turn.
inline constexpr std::uint32_t hops_of_a_stretch = 32;

/// The walk along a closed chain by many items, each along short stretches. Lines are visited in the chain's order but
/// for some two thousand of a turn. An array of that order would let each line be loaded at once, but take a sixteenth
/// of a cache from the lines; the beginnings of stretches take a five-hundredth.
class ChaseByMany {
 public:
  /// `starts` has the chain's words that lead to its places 0, 32, 64 …, then that to where the last stretch ends.
  /// `chain` has to outlive it.
  ChaseByMany(device::Device& device, device::Buffer& chain, device::Use use, std::uint32_t offset_shift,
              std::uint32_t places, std::vector<std::uint32_t> starts);

  /// Walks from the beginning of the stretch of `place` to the first end of a stretch that is `hops` beyond `place`.
  device::Nanoseconds run(std::uint32_t place, std::uint64_t hops);
  std::optional<std::string> proof_failure() const;                            ///< of the last dispatch
  std::uint32_t place() const { return next_ * hops_of_a_stretch % places_; }  ///< where it ended
  std::uint32_t word() const { return starts_[next_]; }                        ///< the chain's word that leads there
  std::uint64_t most_hops() const;                                             ///< that one dispatch may make

 private:
  std::uint32_t stretches() const { return static_cast<std::uint32_t>(starts_.size()) - 1; }

  device::Device& device_;
  device::Buffer& chain_;
  std::uint32_t places_;
  std::vector<std::uint32_t> starts_;
  std::uint32_t items_;
  std::unique_ptr<device::Kernel> kernel_;
  std::unique_ptr<device::Buffer> starts_on_device_;
  std::unique_ptr<device::Buffer> sums_;
  std::uint32_t next_ = 0;      ///< of `starts_`, where the last stretch ended
  std::uint32_t expected_ = 0;  ///< the sum of all items' sums
};

/// Has many items make the laps of a walk that has `many`, make_many() and run_by_many(). Not on a CPU, of which one
/// core walks all stretches of a group one after the other.
template <typename Walk>
void let_many_make_laps(measure::SteppedWork& work, const std::shared_ptr<Walk>& walk) {
  if (walk->device.info().type == device::DeviceType::cpu) return;
  work.by_many = [walk] {
    walk->make_many();
    return measure::SteppedWork{.quantum = hops_of_a_stretch,
                                .most = walk->many->most_hops(),
                                .run = [walk](std::uint64_t hops) { return walk->run_by_many(hops); },
                                .proof_failure = [walk] { return walk->many->proof_failure(); }};
  };
}

}  // namespace sonde::workloads
