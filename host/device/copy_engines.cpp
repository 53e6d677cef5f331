#include "device/copy_engines.hpp"

#include <algorithm>
#include <thread>

#include "os/machine.hpp"

namespace sonde::device {

void check_host_can_spare(std::uint64_t size_bytes) {
  const std::uint64_t spare = os::available_memory_bytes() / 5 * 4;
  if (size_bytes <= spare) return;
  throw Unsupported(std::to_string(size_bytes >> 20) +
                    " MiB of this computer's memory would leave others too little: " + std::to_string(spare >> 20) +
                    " MiB can be taken now");
}

PageAligned::PageAligned(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
  check_host_can_spare(size_bytes);
  size_bytes_ = (size_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  const std::align_val_t alignment{alignment_bytes};
  memory_ = {static_cast<std::byte*>(::operator new(size_bytes_, alignment, std::nothrow)), Free{alignment}};
  if (memory_ == nullptr)
    throw Unsupported("this computer has no room for " + std::to_string(size_bytes >> 20) + " MiB");
  std::ranges::fill(bytes(), std::byte{0});
}

bool begins_soon(const std::function<bool()>& has_begun) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point latest = Clock::now() + std::chrono::seconds(2);
  while (!has_begun()) {
    if (Clock::now() > latest) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace sonde::device
