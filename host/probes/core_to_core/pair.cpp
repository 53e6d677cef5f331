#include "probes/core_to_core/pair.hpp"

#include <exception>
#include <mutex>
#include <thread>

#include "device/error.hpp"

namespace sonde::probes {

void SpinWait::check_time(device::Nanoseconds& waited_since) const {
  constexpr device::Nanoseconds longest_wait{10e9};
  const device::Nanoseconds now = cpu::steady_now();
  if (waited_since < device::Nanoseconds(0)) waited_since = now;
  if (given_up_ || now - waited_since > longest_wait) {
    throw device::Unsupported(
        "the system did not run both threads at once, because other programs have their CPUs: measure again when those "
        "are idle");
  }
}

PinnedPair::PinnedPair(int here, int there) : here_(here), there_cpu_(there) {
  run_on_both([](SpinWait&) {}, [this](SpinWait&) { there_holds_ = cpu::Pinned(there_cpu_).holds(); });
}

void PinnedPair::run_on_both(const std::function<void(SpinWait&)>& here, const std::function<void(SpinWait&)>& there) {
  SpinWait wait;
  std::atomic<bool> has_arrived = false;
  // The first to fail makes the other give up, whose own exception tells nothing.
  std::once_flag failed;
  std::exception_ptr failure;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      std::call_once(failed, [&failure] { failure = std::current_exception(); });
      wait.give_up();
    }
  };
  {
    const std::jthread partner([&] {
      guarded([&] {
        const cpu::Pinned pinned(there_cpu_);
        has_arrived = true;
        there(wait);
      });
    });
    guarded([&] {
      wait.until([&] { return has_arrived.load(); });
      here(wait);
    });
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sonde::probes
