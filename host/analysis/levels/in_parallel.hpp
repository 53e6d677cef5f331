#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace sonde::analysis {

/// work(0) … work(count - 1), in any order on all cores; the results in the order of their places.
template <typename Work>
auto in_parallel(std::size_t count, const Work& work) {
  std::vector<decltype(work(std::size_t{}))> results(count);
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  std::vector<std::future<void>> parts;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    parts.push_back(std::async(std::launch::async, [&, thread] {
      for (std::size_t i = thread; i < count; i += threads) results[i] = work(i);
    }));
  }
  for (std::future<void>& part : parts) part.get();
  return results;
}

}  // namespace sonde::analysis
