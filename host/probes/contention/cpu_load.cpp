#include "probes/contention/contention.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "device/error.hpp"

namespace sonde::probes::contention_probe {
namespace {

constexpr std::uint64_t least_bytes_a_thread = 128 << 20;
constexpr std::uint64_t page_bytes = 64 << 10;
constexpr std::chrono::seconds longest_wait{5};

device::Unsupported kept_waiting(std::size_t threads) {
  return device::Unsupported("of " + std::to_string(threads) +
                             " CPU threads the system did not run all meanwhile, because other programs have their "
                             "cores: measure again when those are idle");
}

}  // namespace

CpuLoad::CpuLoad(std::span<const cpu::Core> cores, cpu::StreamDirection traffic) {
  for (const cpu::Core& core : cores) {
    // The threads of a cluster share its furthest cache, and are beyond it together: memory of their own beyond it took
    // the most of a minute to fill on 16 cores with 300 MiB.
    const auto sharing = static_cast<std::uint64_t>(std::ranges::count(cores, core.cluster, &cpu::Core::cluster));
    const std::uint64_t bytes =
        std::max(least_bytes_a_thread, 2 * cpu::machine().furthest_cache_bytes / sharing / page_bytes * page_bytes);
    threads_.push_back(std::make_unique<cpu::Streamer>(core.cpu, bytes, traffic, cpu::Pace::full));
  }
  // A thread that the system has yet to start loads nothing.
  const auto latest = std::chrono::steady_clock::now() + longest_wait;
  for (const auto& thread : threads_) {
    while (thread->bytes_moved() == 0) {
      if (std::chrono::steady_clock::now() > latest) throw kept_waiting(threads_.size());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  begin();
}

void CpuLoad::begin() {
  moved_.clear();
  for (const auto& thread : threads_) moved_.push_back(thread->bytes_moved());
  begin_ = std::chrono::steady_clock::now();
}

double CpuLoad::gbps() const {
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin_;
  double bytes = 0;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    const std::uint64_t moved = threads_[thread]->bytes_moved() - moved_[thread];
    if (moved == 0) throw kept_waiting(threads_.size());
    bytes += static_cast<double>(moved);
  }
  return bytes / time.count();
}

}  // namespace sonde::probes::contention_probe
