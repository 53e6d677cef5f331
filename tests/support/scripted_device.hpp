#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace sonde::test {

/// One dispatch as it happened: how long its work truly took, and what the device's clock said.
struct Dispatch {
  std::string kernel;
  std::uint64_t bytes = 0;  ///< of its first buffer
  std::uint32_t trips = 0;  ///< as asked for
  std::uint32_t end = 0;    ///< what the chain left as its value
  double work_ns = 0;
  double time_ns = 0;
};

/// How a scripted device behaves. Everything that disturbs only slows, as on real machines.
struct Script {
  device::DeviceType type = device::DeviceType::discrete;
  std::function<double(std::uint64_t bytes)> hop_ns = [](std::uint64_t) { return 10.0; };
  double alu_step_ns = 1;
  double clock_mhz = 0;         ///< what it states
  bool core_clock = false;      ///< its kernels can read a counter
  double counted_per_step = 4;  ///< by how much a step moves the counter
  double counter_mhz = 0;       ///< above zero: it counts time instead, at this rate
  std::uint32_t counter_bits = 32;
  double counted_slowdown = 1;  ///< of the kernel that reads the counter, as if compiled to other code
  double launch_ns = 20e3;
  double first_launch_ns = 0;     ///< added to each kernel's first dispatch
  double cold_word_ns = 0;        ///< added to the first visit of a word
  double pushed_out_share = 0;    ///< of the words visited that each launch makes cold again
  double noise = 0;               ///< up to this share is added to every dispatch's work
  double interruption_share = 0;  ///< of the dispatches that something else interrupts
  double interruption_ns = 5e6;
  std::function<double(std::size_t dispatch, double spent_ns)> slowdown;  ///< factor on a dispatch's work
  std::function<double()> slowdown_of_walks;  ///< the same of walks alone: arithmetic goes on at the core's clock
  std::uint32_t loop_limit = std::numeric_limits<std::uint32_t>::max();  ///< trips, then it silently stops
  bool drops_work = false;  ///< claims to be done at once and leaves memory as it was
  std::size_t drops_work_from = std::numeric_limits<std::size_t>::max();  ///< the same, from this dispatch on
  bool clock_stands_still = false;  ///< works, but every dispatch takes 0 ns by its own clock
  std::uint32_t compute_units = 16;
  bool runs_groups_together = true;
  std::uint64_t largest_buffer_bytes = 1ull << 40;
  std::uint64_t constant_bytes = 64 << 10;
  std::uint64_t texel_bytes = 1ull << 40;
  std::uint64_t local_bytes = 64 << 10;
  std::function<bool(std::size_t dispatch)> fails;  ///< true: this dispatch throws device::Error
  std::size_t most_dispatches = 20000;              ///< then it throws, so that a loop without end fails a test
  std::uint64_t seed = 1;
};

/// A device double. Its kernels really run, on host vectors; only its clock is scripted.
class ScriptedDevice final : public device::Device {
 public:
  explicit ScriptedDevice(Script script);

  [[nodiscard]] const device::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::uint64_t available_bytes() override { return script_.largest_buffer_bytes; }
  [[nodiscard]] std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override;
  [[nodiscard]] std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source,
                                                            std::uint32_t group_size,
                                                            std::span<const device::Constant> constants = {}) override;
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override;

  [[nodiscard]] const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  [[nodiscard]] const std::vector<std::uint64_t>& buffers_made() const { return buffers_made_; }  ///< their bytes
  [[nodiscard]] std::uint32_t last_group_size() const { return last_group_size_; }

 private:
  double disturbed(double work_ns);
  /// Makes cold again the words of a walk's memory that the launch pushes out.
  void push_out(const device::Launch& launch);
  /// The counter after so many ticks of a dispatch; each begins just before 20 bits are full.
  [[nodiscard]] std::uint32_t counter_after(double ticks) const;

  Script script_;
  device::DeviceInfo info_;
  std::vector<Dispatch> dispatches_;
  std::vector<std::uint64_t> buffers_made_;
  double spent_ns_ = 0;
  std::uint32_t last_group_size_ = 0;
  std::mt19937_64 random_;
};

/// Whether a scripted device threw this because it was asked for more than `most_dispatches`.
bool was_endless(const device::Error& error);

/// Device memory that is a vector, for tests that look at what was written.
class HostBuffer final : public device::Buffer {
 public:
  explicit HostBuffer(std::uint64_t size_bytes) : words((size_bytes + 3) / 4), size_bytes_(size_bytes) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override;
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override;

  std::vector<std::uint32_t> words;
  std::vector<std::uint8_t> visited;         ///< 1 for words that a chase read
  std::vector<std::uint64_t> write_offsets;  ///< of every write, in order

 private:
  std::uint64_t size_bytes_;
};

}  // namespace sonde::test
