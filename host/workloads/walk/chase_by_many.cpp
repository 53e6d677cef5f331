#include "workloads/walk/chase_by_many.hpp"

#include <algorithm>
#include <numeric>

#include "kernels.hpp"

namespace sonde::workloads {
namespace {

/// A wave: more would be quicker, and change the order of more lines.
constexpr std::uint32_t most_items = 32;
/// After a million hops a dispatch ends: those who wait for a sign of life wait for simulations too.
constexpr std::uint32_t most_turns = 1000;

}  // namespace

ChaseByMany::ChaseByMany(device::Device& device, device::Buffer& chain, device::Use use, std::uint32_t offset_shift,
                         std::uint32_t places, std::vector<std::uint32_t> starts)
    : device_(device),
      chain_(chain),
      places_(places),
      starts_(std::move(starts)),
      items_(std::min(device.info().largest_group_size, most_items)) {
  const device::Constant shift{"OFFSET_SHIFT", offset_shift};
  kernel_ = device.make_kernel(kernels::chase_by_many, items_, std::span(&shift, 1));
  starts_on_device_ = device.make_buffer(stretches() * sizeof(std::uint32_t), use);
  starts_on_device_->write(0, std::as_bytes(std::span(starts_).first(stretches())));
  sums_ = device.make_buffer(items_ * sizeof(std::uint32_t), use);
}

device::Nanoseconds ChaseByMany::run(std::uint32_t place, std::uint64_t hops) {
  const std::uint32_t first = place / hops_of_a_stretch;
  const auto count = static_cast<std::uint32_t>((place % hops_of_a_stretch + hops - 1) / hops_of_a_stretch + 1);
  expected_ = 0;
  for (std::uint32_t stretch = first; stretch < first + count; ++stretch) {
    next_ = stretch % stretches() + 1;
    expected_ += starts_[next_];
  }
  // What an earlier dispatch left here proves nothing of this one.
  const std::vector<std::uint32_t> none(items_);
  sums_->write(0, std::as_bytes(std::span(none)));
  return device_.run(*kernel_, {.buffers = {&chain_, starts_on_device_.get(), sums_.get()},
                                .scalars = {first, count, stretches()},
                                .groups = 1});
}

std::optional<std::string> ChaseByMany::proof_failure() const {
  std::vector<std::uint32_t> sums(items_);
  sums_->read(0, std::as_writable_bytes(std::span(sums)));
  if (std::accumulate(sums.begin(), sums.end(), 0u) == expected_) return std::nullopt;
  return "the device's work-items left the chain before the timed walk began; please report the driver";
}

std::uint64_t ChaseByMany::most_hops() const {
  const std::uint64_t turns = std::min(device_.info().most_trips, most_turns);
  // The stretch in which a dispatch begins is one more, and none is walked twice.
  const std::uint64_t most = std::min<std::uint64_t>(turns * items_, stretches());
  return std::max<std::uint64_t>(most - 1, 1) * hops_of_a_stretch;
}

}  // namespace sonde::workloads
