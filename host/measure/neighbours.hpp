#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "gpu/device.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// Tells whether something else works on the core that is measured: a program on its second hardware thread, often of
/// another virtual machine, of which no counter of this system says anything. It takes room in the core's own caches
/// and turns of its units, so that hits in the first cache take longer than usual.
class Neighbours {
 public:
  /// `walk`: over most of the first cache, by the way that is measured. `patience`: how long they may be waited for in
  /// all, and how long the work may take that is done again for their sake. Throws gpu::Error where the walk does not
  /// do its work.
  Neighbours(Workload walk, gpu::Nanoseconds patience);

  /// Whether there are any now. Throws as the constructor.
  bool there();
  /// Waits until there are none, as long as patience lasts; whether there are none. `alive` is called after each look.
  bool gone(const std::function<void()>& alive);
  /// Whether work that took so long beside them may be done again.
  bool worth_another(gpu::Nanoseconds time);

 private:
  gpu::Nanoseconds run(std::uint64_t steps);
  double hit_ns();
  bool crowded(double hit_ns) const;

  Workload walk_;
  gpu::Nanoseconds patience_;
  gpu::Nanoseconds patience_for_work_ = patience_;
  std::uint64_t few_;  ///< a lap
  std::uint64_t many_ = 0;
  std::deque<double> recent_;  ///< of a hit, when somebody asked, without those while waiting
};

}  // namespace sonde::measure
