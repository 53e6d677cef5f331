#include "measure/settle.hpp"

#include <algorithm>
#include <deque>

#include "gpu/error.hpp"

namespace sonde::measure {
namespace {

constexpr std::size_t windows_that_agree = 5;
constexpr double agreement = 0.005;
constexpr gpu::Nanoseconds window{10e6};

}  // namespace

Settled settle_clock(const Workload& arithmetic, gpu::Nanoseconds longest, const std::function<void()>& alive) {
  std::uint64_t steps = arithmetic.quantum;
  gpu::Nanoseconds spent{0};
  std::deque<double> recent;
  Settled settled;
  arithmetic.run(steps);  // compiles
  while (!settled.stable && spent < longest) {
    const gpu::Nanoseconds time = arithmetic.run(steps);
    if (const auto flaw = arithmetic.flaw()) throw gpu::Error(*flaw);
    alive();
    spent += time;
    settled.nanoseconds_per_step = time.count() / static_cast<double>(steps);
    if (time < window / 2 && steps * 2 <= arithmetic.most) {
      steps *= 2;
      continue;
    }
    if (time.count() <= 0) break;  // a clock that stands still settles nothing
    recent.push_back(settled.nanoseconds_per_step);
    if (recent.size() > windows_that_agree) recent.pop_front();
    const auto [least, greatest] = std::ranges::minmax(recent);
    settled.stable = recent.size() == windows_that_agree && greatest - least < agreement * least;
  }
  return settled;
}

}  // namespace sonde::measure
