#pragma once

#include <variant>

#include "device/device.hpp"
#include "measure/measurement.hpp"

namespace sonde::measure {

struct Limits;

/// Values on another curve from the same repetitions, at the same x or at another.
struct ExtraValues {
  const Curve* curve = nullptr;
  Words varied = {};  ///< the point's words are kept but for the curve's own and these
  std::vector<double> values = {};
  std::vector<std::size_t> visits = {};  ///< the same as in `Measurement`
  Coordinates x = {};                    ///< these numbers take the place of the point's
};

/// The values in the curve's unit, in the order taken, and their circumstances.
struct Repetitions {
  std::vector<double> values;
  std::uint64_t steps = 0;          ///< the same as in `State`
  std::uint64_t counted_steps = 0;  ///< steps in each window of `Limits::traffic`; 0 where they are `steps`
  double launch_ns = 0;             ///< the same as in `State`
  double settling = 0;              ///< share by which untimed laps still got faster when the limit ended them, or 0
  double smt_interference = 0;      ///< the same as in `State`
  double interrupted = 0;           ///< the same as in `State`
  bool disturbed = false;           ///< disturbed values are among these, as too few others were taken
  std::vector<std::size_t> visits = {};  ///< the same as in `Measurement`, where they were taken at several moments
  Coordinates reached = {};              ///< numbers that only the measurement knows; added to the point's x
  std::vector<ExtraValues> extra = {};   ///< the same curves, in the same order, at every replicate
};

/// A further curve whose values follow from the time of a step.
struct DerivedCurve {
  const Curve* curve = nullptr;
  Words varied = {};  ///< the same as in `ExtraValues`
  std::function<double(double nanoseconds_per_step)> value;
};

/// Work whose time per step is the measurement. It continues where the last run ended; the runner chooses the steps.
struct SteppedWork {
  std::uint64_t quantum = 1;  ///< every run is a whole number of these steps
  std::uint64_t most = 1;     ///< steps that one run may take
  std::uint64_t lap = 1;      ///< least steps that touch everything
  /// Steps after which a dispatch has taken in again what its start pushed out of the caches; 0 where nothing is kept.
  /// Short dispatches make them too, so that the difference is free of them.
  std::uint64_t refill = 0;
  bool refills_in_part = false;  ///< fewer steps take in most of it; else so long a lap is through more than is lost
  std::function<device::Nanoseconds(std::uint64_t steps)> run;
  /// The reason for which the last run did not do its work, read from device memory; empty when it did it.
  std::function<std::optional<std::string>()> proof_failure;
  /// Whether the last run's threads did not have their cores for all of it; empty where that is not known.
  std::function<bool()> interrupted = {};
  std::function<double(double nanoseconds_per_step)> value;
  std::vector<DerivedCurve> derived = {};
  /// Makes work whose run() takes these steps by many work-items at once: caches then hold what they would after `run`,
  /// and either goes on where the other ended. Its time is no step's. Empty where there is none.
  std::function<SteppedWork()> by_many = {};
};

/// Work that no time per step describes (windows, single round trips): it takes its repetitions itself, untimed ones
/// first, calls `alive` several times a second, and throws device::Error where a proof fails.
struct SelfTimedWork {
  std::function<Repetitions(const Limits& limits, const std::function<void()>& alive)> repeat;
};

/// The work of a point.
struct Workload {
  std::variant<SteppedWork, SelfTimedWork> work;
  std::string instruction = {};  ///< the load instruction of the driver's code, where it is known
  bool one_core = false;         ///< a single chain: on a CPU device it has to stay on one core
  double bytes_per_step = 0;     ///< bytes that one step asks memory for, all arrays together; 0 where not known
  bool has_cycles = true;        ///< its time passes on the device's core, so that it is also given in cycles
  Shape shape = {};              ///< the same as in `State`
};

}  // namespace sonde::measure
