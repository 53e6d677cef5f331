#include "probes/core_to_core/at_once.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "os/threads.hpp"
#include "probes/core_to_core/exchange.hpp"

namespace sonde::probes {

std::vector<PairTimes> exchanges_at_once(const std::vector<CpuPair>& pairs, const ExchangeSize& size,
                                         std::uint32_t line_bytes, std::uint64_t seed, bool& pinned) {
  std::vector<PairTimes> times(pairs.size());
  std::atomic<bool> all_pinned = true;
  os::Awaited<int> missing(static_cast<int>(pairs.size()));
  std::once_flag failed;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> firsts;
    for (std::size_t index = 0; index < pairs.size(); ++index) {
      firsts.emplace_back([&, index] {
        bool arrived = false;
        try {
          Pair pair(pairs[index].from_cpu(), pairs[index].to_cpu());
          if (!pair.pinned()) all_pinned = false;
          ExchangedLines lines(size, line_bytes, seed + index);
          arrived = true;
          missing.add(-1);
          missing.wait_until([](int number) { return number == 0; });
          times[index].swapped = lines.round_trips(pair, Exchange::compare_and_swap);
          times[index].stored = lines.round_trips(pair, Exchange::store);
        } catch (...) {
          std::call_once(failed, [&failure] { failure = std::current_exception(); });
          if (!arrived) missing.add(-1);
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
  pinned = all_pinned;
  return times;
}

}  // namespace sonde::probes
