#pragma once

#include "cpu/region.hpp"
#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// Threads on a core each that stream arrays of their own, all of them begun together.
class StreamTeam {
 public:
  /// `count` elements in each of so many arrays a thread, for each core on its own NUMA node or on the one that
  /// `memory_nodes` names for it. Throws device::Unsupported where there is no such kernel or no memory, or not there.
  StreamTeam(const std::vector<const cpu::Core*>& cores, const cpu::StreamKernels& kernels, cpu::Stream stream,
             cpu::StoreKind stores, int arrays, std::size_t count, const std::vector<int>& memory_nodes = {});
  ~StreamTeam();
  StreamTeam(const StreamTeam&) = delete;
  StreamTeam& operator=(const StreamTeam&) = delete;

  /// A run then goes once over the next of so many nearly equal sections of the arrays, and no longer over all of them:
  /// what it touches is a lap away, and it takes less time. To be called once.
  void divide(std::size_t sections);
  /// The next run uses these kernels.
  void use(const cpu::StreamKernels& kernels) { kernels_ = &kernels; }

  /// The time from the moment when the first thread began, all having arrived, until the slowest had made its passes;
  /// of sections one pass.
  device::Nanoseconds run(std::uint64_t passes);

  /// The passes of the last run: less than one where it went over a section.
  [[nodiscard]] double passes_made() const;

  /// Why the last run did not do its work, by what every thread found in its own memory. Before each run over all, or
  /// lap of sections, one element in every page was overwritten, so that what an earlier one left is no proof.
  [[nodiscard]] std::optional<std::string> proof_failure() const;

  /// Whether a thread did not have its core for all of the last run, or began late.
  [[nodiscard]] bool interrupted() const;
  [[nodiscard]] bool pinned() const;

 private:
  /// One thread's part, which it alone touches, on lines of its own.
  struct alignas(128) StreamingThread {
    int cpu = 0;
    std::optional<int> node;  ///< of its memory, where that is not simply its own
    bool pinned = false;
    bool interrupted = false;
    bool proved = true;
    std::string failure;              ///< why it has no memory
    double added = 0;                 ///< passes so far, of streams that add to what is there
    std::vector<std::uint64_t> sums;  ///< of all words of each section of its array a, as it was filled
    device::Nanoseconds begin{0};
    device::Nanoseconds end{0};
  };

  /// Ends all threads.
  void dismiss();
  void work(StreamingThread& member, const std::stop_token& stop);
  void turn(StreamingThread& member, const cpu::StreamArrays& arrays);
  /// The element at which a section begins; of the one after the last, the number of all.
  [[nodiscard]] std::size_t begin_of(std::size_t section) const;
  void wait_for_all(int round);

  const cpu::StreamKernels* kernels_;
  cpu::Stream stream_;
  cpu::StoreKind stores_;
  int arrays_;
  std::size_t count_;
  std::vector<StreamingThread> members_;
  std::uint64_t passes_ = 0;
  std::size_t sections_ = 1;
  std::size_t section_ = 0;  ///< of the last run
  bool began_apart_ = false;
  os::Awaited<int> round_{0};          ///< of runs that were asked for
  std::atomic<int> arrived_ = 0;       ///< members, over all rounds
  os::Awaited<int> done_{0};           ///< the same
  std::vector<std::jthread> threads_;  ///< the last member: they end before what they use
};

/// Passes of a run that is long beside the clock and short beside a time slice. Where one pass is longer than that, the
/// team is divided into sections that are not. This and the next two throw device::Error where a run did not do its
/// work.
std::uint64_t passes_of_a_run(StreamTeam& team);

/// Those of `all` by which runs of a team are the fastest, the first where none is by more than a hundredth.
const cpu::StreamKernels& fastest_of(std::span<const cpu::StreamKernels* const> all, StreamTeam& team,
                                     std::uint64_t passes);

/// The ns of a pass in each run in which every thread had its core for all of it, as many as `limits` ask for. Throws
/// device::TooShort where others hardly left the team one.
Repetitions undisturbed_runs(StreamTeam& team, std::uint64_t passes, const Limits& limits,
                             const std::function<void()>& alive);

}  // namespace sonde::probes
