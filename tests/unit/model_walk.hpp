#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/model/model.hpp"
#include "device/model/random.hpp"

namespace sonde::device::model {

inline const KernelSource chase_source{.name = "chase", .opencl_c = {}, .spirv_addresses = {}, .spirv_descriptors = {}};
inline const KernelSource independent_chase_source{
    .name = "independent_chase", .opencl_c = {}, .spirv_addresses = {}, .spirv_descriptors = {}};
inline const KernelSource alu_chain_source{
    .name = "alu_chain", .opencl_c = {}, .spirv_addresses = {}, .spirv_descriptors = {}};

/// Random order of lines 0 … count - 1, line 0 first.
inline std::vector<std::uint32_t> random_order(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  Random random(seed);
  for (std::uint32_t i = count; i > 2; --i) std::swap(order[i - 1], order[1 + random.below(i - 1)]);
  return order;
}

/// A chase over lines of a model device, with its buffers; the tests' own, so that no probe's fault hides
/// here.
class ModelWalk {
 public:
  static constexpr std::uint32_t trips_per_round = 8;

  ModelWalk(Device& device, std::uint64_t bytes, std::uint32_t stride_bytes, std::uint64_t seed = 1)
      : device_(device),
        kernel_(device.make_kernel(chase_source, 1)),
        next_(device.make_buffer(bytes)),
        cursor_(device.make_buffer(8)),
        stride_words_(stride_bytes / 4),
        lines_(static_cast<std::uint32_t>(bytes / stride_bytes)) {
    link(random_order(lines_, seed));
    start_at(0);
  }

  /// Joins the lines of `order` to a cycle.
  void link(const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> words(next_->size_bytes() / 4);
    next_->read(0, std::as_writable_bytes(std::span(words)));
    for (std::size_t i = 0; i < order.size(); ++i) {
      words[std::size_t{order[i]} * stride_words_] = order[(i + 1) % order.size()] * stride_words_;
    }
    next_->write(0, std::as_bytes(std::span(words)));
  }

  void start_at(std::uint32_t line) {
    const std::uint32_t words[] = {line * stride_words_, 0};
    cursor_->write(0, std::as_bytes(std::span(words)));
  }

  /// Walks so many rounds of 64 hops.
  double run(std::uint32_t rounds) {
    const std::uint32_t trips = rounds * trips_per_round;
    return device_.run(*kernel_, {.buffers = {next_.get(), cursor_.get()}, .scalars = {trips}, .groups = 1}).count();
  }
  void run_laps(std::uint32_t laps) { run(laps * ((lines_ + 63) / 64)); }

  /// Mean nanoseconds a hop over at least one lap.
  double hop_ns(std::uint32_t least_rounds = 0) {
    const std::uint32_t rounds = std::max((lines_ + 63) / 64, least_rounds);
    return run(rounds) / (64.0 * rounds);
  }

  /// {word where the walk stands, trips of the last dispatch}
  std::vector<std::uint32_t> cursor() {
    std::vector<std::uint32_t> words(2);
    cursor_->read(0, std::as_writable_bytes(std::span(words)));
    return words;
  }
  std::uint32_t lines() const { return lines_; }
  Buffer& next() { return *next_; }

 private:
  Device& device_;
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Buffer> next_;
  std::unique_ptr<Buffer> cursor_;
  std::uint32_t stride_words_;
  std::uint32_t lines_;
};

}  // namespace sonde::device::model
