#include "kernels.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint32_t steps_in_a_round = 4;
constexpr int proved_blocks = 16;

}  // namespace

ThrottledAdd::ThrottledAdd(device::Device& device, const StreamShape& shape, std::uint64_t array_bytes,
                           std::uint64_t seed)
    : device_(device),
      walk_(fitted(shape, Sharing::separate, array_bytes), Sharing::separate, array_bytes),
      kernel_(device.make_kernel(kernels::stream_add_dialled, walk_.shape.group_size, walk_.shape.constants())),
      noises_{Noise(seed), Noise(~seed)},
      random_(seed) {
  const device::Use use = use_for(device.info(), walk_.array_bytes());
  for (auto& array : arrays_) array = device.make_buffer(walk_.array_bytes(), use);
  for (std::size_t input = 0; input < noises_.size(); ++input) {
    (void)write_noise(*arrays_[input], noises_[input], walk_.shape.piece_words());
  }
}

device::Launch ThrottledAdd::next_launch() {
  const std::vector<std::uint32_t> scalars = walk_.scalars(
      trips_, turn_, {salt_++, throttle_ / parts_of_a_round, throttle_ % parts_of_a_round, step_factor, step_addend});
  turn_ += trips_;
  return {.buffers = {arrays_[0].get(), arrays_[1].get(), arrays_[2].get()},
          .scalars = scalars,
          .groups = walk_.shape.groups};
}

std::uint32_t ThrottledAdd::most_trips(std::uint32_t throttle) const {
  // Where a driver counts the trips of all loops, an inner one's are counted with the one on which it ends.
  return std::max(1u, device_.info().most_trips / (throttle / parts_of_a_round + 3));
}

double ThrottledAdd::ns_per_trip(std::uint32_t throttle, device::Nanoseconds trial) {
  throttle_ = throttle;
  for (trips_ = 1;;) {
    const double ns = std::min(device_.run(*kernel_, next_launch()), device_.run(*kernel_, next_launch())).count();
    if (ns >= trial.count() / 2 || trips_ >= most_trips(throttle)) return ns / trips_;
    const double more = std::clamp(trial.count() / std::max(ns, 1.0), 2.0, 32.0);
    trips_ = std::min(most_trips(throttle), static_cast<std::uint32_t>(trips_ * more));
  }
}

void ThrottledAdd::throttle(double load, device::Nanoseconds dispatch, device::Nanoseconds trial) {
  // Pages that were never written would make the first lap many times as slow as all others.
  throttle_ = 0;
  for (std::uint32_t left = turn_ == 0 ? walk_.blocks : 0; left > 0; left -= trips_) {
    trips_ = std::min(left, most_trips(throttle_));
    (void)device_.run(*kernel_, next_launch());
  }
  constexpr std::uint32_t first_dial = parts_of_a_round / 8;
  constexpr std::uint32_t most_dial = parts_of_a_round << 14;
  double ns = ns_per_trip(0, trial);
  const double wanted_ns = ns / load;
  std::uint32_t below = 0;
  double below_ns = ns;
  std::uint32_t throttle = 0;
  // The throttle doubles until it is slow enough; then it goes along the line between the last two.
  while (ns < wanted_ns && load < 1 && throttle < most_dial) {
    below = throttle;
    below_ns = ns;
    throttle = std::max(first_dial, 2 * throttle);
    ns = ns_per_trip(throttle, trial);
  }
  std::uint32_t above = throttle;
  double above_ns = ns;
  for (int step = 0; step < 3 && above > below + 1 && above_ns > below_ns; ++step) {
    const double share = std::clamp((wanted_ns - below_ns) / (above_ns - below_ns), 0.0, 1.0);
    throttle = std::clamp(below + static_cast<std::uint32_t>(share * (above - below) + 0.5), below + 1, above - 1);
    ns = ns_per_trip(throttle, trial);
    (ns < wanted_ns ? below : above) = throttle;
    (ns < wanted_ns ? below_ns : above_ns) = ns;
  }
  throttle_ = wanted_ns - below_ns < above_ns - wanted_ns ? below : above;
  const double per_trip_ns = throttle_ == below ? below_ns : above_ns;
  trips_ = std::clamp(static_cast<std::uint32_t>(dispatch.count() / per_trip_ns), 1u, most_trips(throttle_));
}

device::BusyTimes ThrottledAdd::keep_busy(device::Nanoseconds time) {
  first_turn_ = turn_;
  first_salt_ = salt_;
  std::optional<device::Nanoseconds> begin;
  return device_.keep_busy(
      *kernel_, [this](std::size_t) { return next_launch(); },
      [&](device::Nanoseconds end) {
        if (!begin) begin = end;  // the first one is not counted
        return end - *begin >= time;
      });
}

std::optional<std::string> ThrottledAdd::proof_failure() {
  const std::uint32_t words = walk_.shape.piece_words();
  std::vector<std::uint32_t> found(words);
  for (int look = 0; look < proved_blocks; ++look) {
    const std::uint64_t reach = std::min<std::uint64_t>(turn_ - first_turn_, walk_.blocks);
    const std::uint64_t turn = turn_ - 1 - (look == 0 ? 0 : random_() % reach);
    const auto group = static_cast<std::uint32_t>(look == 0 ? walk_.shape.groups - 1 : random_() % walk_.shape.groups);
    const std::uint32_t salt = first_salt_ + static_cast<std::uint32_t>((turn - first_turn_) / trips_);
    const auto trip = static_cast<std::uint32_t>((turn - first_turn_) % trips_);
    const std::uint32_t extra = throttle_ % parts_of_a_round;
    const std::uint32_t rounds = throttle_ / parts_of_a_round + (trip * extra % parts_of_a_round < extra ? 1 : 0);
    const std::uint64_t steps = std::uint64_t{steps_in_a_round} * rounds;
    // All steps together are one of the same kind, whose addend is what becomes of zero.
    const std::uint32_t addend = after_arithmetic(0, steps);
    const std::uint32_t factor = after_arithmetic(1, steps) - addend;
    const auto piece = static_cast<std::uint32_t>(random_() % walk_.shape.pieces());
    const std::uint64_t first_word = walk_.word_at(group, walk_.position(group, turn), piece);
    arrays_[2]->read(first_word * sizeof(std::uint32_t), std::as_writable_bytes(std::span(found)));
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint32_t sum = noises_[0](first_word + word) + noises_[1](first_word + word) + salt;
      if (found[word] != sum * factor + addend) {
        return "the device did not write the sum that it was to write in work-group " + std::to_string(group) +
               ", so its times say nothing; please report the driver";
      }
    }
  }
  return std::nullopt;
}

double ThrottledAdd::bytes_per_dispatch() const {
  return static_cast<double>(walk_.trip_bytes()) * static_cast<double>(arrays_.size()) * trips_;
}

}  // namespace sonde::workloads
