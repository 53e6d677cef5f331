#include "support/scripted_device.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sonde::test {
namespace {

constexpr std::uint32_t hops_per_trip = 8;    // of a walk
constexpr std::uint32_t steps_per_trip = 64;  // of arithmetic
constexpr std::uint64_t most_buffer_bytes = 1ull << 30;
constexpr const char* endless = "the script ends here: too many dispatches";

class ScriptedKernel final : public device::Kernel {
 public:
  ScriptedKernel(std::string_view of, std::uint32_t items, std::span<const device::Constant> constants)
      : name(of), group_size(items), block_words(items) {
    for (const device::Constant& one : constants) {
      if (one.name == "OFFSET_SHIFT") {
        words_shift = 2 - one.value;
      } else if (one.name != "SPREAD") {  // wherever the parts of a block lie
        block_words *= one.value;
      }
    }
  }
  std::string name;
  std::uint32_t group_size;
  std::uint32_t block_words;      ///< of a stream
  std::uint32_t words_shift = 0;  ///< from a chain's words to indices
  bool launched = false;
};

HostBuffer& host(const device::Launch& launch, std::size_t argument) {
  return dynamic_cast<HostBuffer&>(*launch.buffers.at(argument));
}

/// Walks as kernels/chase.cl does; returns how many words it had never visited before.
std::uint64_t chase(const device::Launch& launch, std::uint32_t trips, const ScriptedKernel& kernel) {
  const bool scalar_path = kernel.name == "chase_scalar" || kernel.name == "chase_constant";
  HostBuffer& next = host(launch, 0);
  HostBuffer& cursor = host(launch, 1);
  next.visited.resize(next.words.size(), 0);
  std::uint64_t warm_hops = 0;
  const std::uint64_t hops = std::uint64_t{trips} * hops_per_trip;
  // The second scalar of the walk by a uniform address is where it starts; others end where they start from.
  std::uint32_t at = scalar_path ? launch.scalars.at(1) : cursor.words.at(0);
  for (std::uint64_t hop = 0; hop < hops; ++hop) {
    const std::uint32_t word = at >> kernel.words_shift;
    warm_hops += next.visited.at(word);
    next.visited[word] = 1;
    at = next.words[word];
  }
  cursor.words[0] = at;
  cursor.words.at(1) = trips;
  return hops - warm_hops;
}

/// Walks as kernels/chase_by_many.cl does, at most so many turns; returns how many words it had never visited before.
std::uint64_t chase_by_many(const device::Launch& launch, std::uint32_t most_turns, const ScriptedKernel& kernel) {
  HostBuffer& next = host(launch, 0);
  HostBuffer& sums = host(launch, 2);
  next.visited.resize(next.words.size(), 0);
  sums.words.assign(sums.words.size(), 0);
  const std::uint64_t stretches =
      std::min<std::uint64_t>(launch.scalars.at(1), std::uint64_t{most_turns} * kernel.group_size);
  std::uint64_t cold_hops = 0;
  for (std::uint64_t stretch = 0; stretch < stretches; ++stretch) {
    std::uint32_t at = host(launch, 1).words.at((launch.scalars.at(0) + stretch) % launch.scalars.at(2));
    for (int hop = 0; hop < 32; ++hop) {
      const std::uint32_t word = at >> kernel.words_shift;
      cold_hops += next.visited.at(word) == 0 ? 1 : 0;
      next.visited[word] = 1;
      at = next.words[word];
    }
    sums.words.at(stretch % kernel.group_size) += at;
  }
  return cold_hops;
}

/// Streams beside the walk and leaves what kernels/chase_loaded.cl does.
void stream_beside(const device::Launch& launch, std::uint32_t wanted_rounds, std::uint32_t block_words) {
  HostBuffer& cursor = host(launch, 1);
  const HostBuffer& stream = host(launch, 2);
  const std::vector<std::uint32_t>& scalars = launch.scalars;
  cursor.words.at(2) = scalars.at(8);
  const std::uint32_t rounds = std::min(wanted_rounds, scalars.at(9));
  for (std::uint32_t group = 0; group + 1 < launch.groups; ++group) {
    cursor.words.at(3 + 2 * group) = rounds;
    for (std::uint32_t block = 0; block < 4 * rounds; ++block) {
      const std::uint64_t first_turn = std::uint64_t{group} * scalars.at(5) + std::min(group, scalars.at(6));
      const std::uint64_t turn = std::uint64_t{scalars.at(1)} + first_turn + block;
      const auto in_turn = static_cast<std::uint32_t>(turn % scalars.at(2));
      const std::uint32_t scatter = scalars.at(7);
      const std::uint64_t position = (in_turn & ~scatter) | ((in_turn * (group * 0x9E3779B2u + 1)) & scatter);
      const std::uint64_t first = (std::uint64_t{group} * scalars.at(4) + position * scalars.at(3)) * block_words;
      for (std::uint32_t word = 0; word < block_words; ++word) {
        cursor.words.at(4 + 2 * group) += stream.words.at(first + word);
      }
    }
  }
}

/// Walks as kernels/independent_chase.cl does; returns how many words it had never visited before.
std::uint64_t independent_chase(const device::Launch& launch, std::uint32_t trips) {
  HostBuffer& lines = host(launch, 0);
  lines.visited.resize(lines.words.size(), 0);
  std::uint64_t warm_hops = 0;
  HostBuffer& cursor = host(launch, 1);
  std::uint32_t word = cursor.words.at(0);
  std::uint32_t counter = cursor.words.at(1);
  for (std::uint64_t hop = 0; hop < std::uint64_t{trips} * hops_per_trip; ++hop) {
    ++counter;
    const std::uint32_t mixed = (word ^ counter) * 0x9E3779B1u;
    const std::uint64_t at = (std::uint64_t{mixed} * launch.scalars.at(1) >> 32) * launch.scalars.at(2);
    warm_hops += lines.visited.at(at);
    lines.visited[at] = 1;
    word = lines.words[at];
  }
  cursor.words[0] = word;
  cursor.words[1] = counter;
  cursor.words.at(2) = trips;
  return std::uint64_t{trips} * hops_per_trip - warm_hops;
}

void arithmetic_chain(const device::Launch& launch, std::uint32_t trips) {
  HostBuffer& state = host(launch, 0);
  std::uint32_t x = state.words.at(0);
  for (std::uint64_t step = 0; step < std::uint64_t{trips} * steps_per_trip; ++step) {
    x = x * launch.scalars.at(1) + launch.scalars.at(2);
  }
  state.words[0] = x;
  state.words.at(1) = trips;
}

}  // namespace

ScriptedDevice::ScriptedDevice(Script script) : script_(std::move(script)), random_(script_.seed) {
  info_.api = device::Api::opencl;
  info_.type = script_.type;
  info_.name = "scripted";
  info_.largest_buffer_bytes = script_.largest_buffer_bytes;
  info_.largest_buffer_reason = "the script's limit";
  info_.largest_group_size = 256;
  info_.compute_units = script_.compute_units;
  info_.constant_bytes = script_.constant_bytes;
  info_.texel_bytes = script_.texel_bytes;
  info_.local_bytes = script_.local_bytes;
  info_.clock_mhz = script_.clock_mhz;
  info_.core_clock = script_.core_clock;
}

std::unique_ptr<device::Buffer> ScriptedDevice::make_buffer(std::uint64_t size_bytes, device::Use use) {
  device::check_fits(info_, available_bytes(), size_bytes, use);
  if (size_bytes > most_buffer_bytes) throw device::Error("the double has no room for so large a buffer");
  buffers_made_.push_back(size_bytes);
  return std::make_unique<HostBuffer>(size_bytes);
}

std::unique_ptr<device::Kernel> ScriptedDevice::make_kernel(const device::KernelSource& source,
                                                            std::uint32_t group_size,
                                                            std::span<const device::Constant> constants) {
  last_group_size_ = group_size;
  return std::make_unique<ScriptedKernel>(source.name, group_size, constants);
}

device::Nanoseconds ScriptedDevice::run(device::Kernel& kernel, const device::Launch& launch) {
  auto& own = dynamic_cast<ScriptedKernel&>(kernel);
  const std::size_t index = dispatches_.size();
  if (index >= script_.most_dispatches) throw device::Error(endless);
  if (script_.fails && script_.fails(index)) {
    dispatches_.push_back({.kernel = own.name});
    throw device::Error("the script says that dispatch " + std::to_string(index) + " fails");
  }
  const std::uint32_t trips = std::min(launch.scalars.at(0), script_.loop_limit);
  Dispatch dispatch{.kernel = own.name, .bytes = launch.buffers.at(0)->size_bytes(), .trips = launch.scalars[0]};
  if (!script_.drops_work && index < script_.drops_work_from) {
    const bool walks = own.name.find("chase") != std::string::npos;
    const double steps = static_cast<double>(trips) * (walks ? hops_per_trip : steps_per_trip);
    if (walks) push_out(launch);
    if (own.name == "chase_by_many") {
      const double hops = 32.0 * launch.scalars.at(1);
      dispatch.trips = 4 * launch.scalars[1];
      const auto cold_hops = static_cast<double>(chase_by_many(launch, script_.loop_limit, own));
      dispatch.work_ns = (hops * script_.hop_ns(dispatch.bytes) + cold_hops * script_.cold_word_ns) / own.group_size;
    } else if (own.name.starts_with("chase")) {
      dispatch.work_ns = steps * script_.hop_ns(dispatch.bytes);
      dispatch.work_ns += static_cast<double>(chase(launch, trips, own)) * script_.cold_word_ns;
      if (own.name == "chase_loaded") {
        stream_beside(launch, script_.runs_groups_together ? std::min(trips, 50u) : 0, own.block_words);
      }
    } else if (own.name == "independent_chase") {
      dispatch.work_ns = steps * script_.hop_ns(dispatch.bytes);
      dispatch.work_ns += static_cast<double>(independent_chase(launch, trips)) * script_.cold_word_ns;
    } else {
      if (own.name != "alu_chain" && own.name != "clock_rate")
        throw device::Error("no script for the kernel " + own.name);
      dispatch.work_ns = steps * script_.alu_step_ns;
      if (own.name == "clock_rate") dispatch.work_ns *= script_.counted_slowdown;
      arithmetic_chain(launch, trips);
    }
    if (script_.slowdown) dispatch.work_ns *= script_.slowdown(index, spent_ns_);
    if (walks && script_.slowdown_of_walks) dispatch.work_ns *= script_.slowdown_of_walks();
    if (own.name == "clock_rate") {
      host(launch, 0).words.at(2) = counter_after(0);
      const double by_time = dispatch.work_ns * script_.counter_mhz / 1e3;
      host(launch, 0).words.at(3) = counter_after(script_.counter_mhz > 0 ? by_time : steps * script_.counted_per_step);
    }
  }
  // A chain leaves its end behind itself; the arithmetic one has nothing before it.
  dispatch.end = host(launch, std::min<std::size_t>(1, launch.buffers.size() - 1)).words.at(0);
  dispatch.time_ns = script_.launch_ns + disturbed(dispatch.work_ns);
  if (!std::exchange(own.launched, true)) dispatch.time_ns += script_.first_launch_ns;
  if (script_.clock_stands_still) dispatch.time_ns = 0;
  spent_ns_ += dispatch.time_ns;
  dispatches_.push_back(dispatch);
  return device::Nanoseconds(dispatch.time_ns);
}

std::uint32_t ScriptedDevice::counter_after(double ticks) const {
  const std::uint64_t shown = (1u << 20) - 1000 + static_cast<std::uint64_t>(ticks);
  return static_cast<std::uint32_t>(shown & ((1ull << script_.counter_bits) - 1));
}

void ScriptedDevice::push_out(const device::Launch& launch) {
  if (script_.pushed_out_share <= 0) return;
  const auto most = static_cast<std::uint64_t>(script_.pushed_out_share * 0x1p32);
  for (std::uint8_t& visited : host(launch, 0).visited) {
    if (visited != 0 && random_() >> 32 < most) visited = 0;
  }
}

double ScriptedDevice::disturbed(double work_ns) {
  // Written out: the standard library's distributions give other numbers on other platforms.
  const auto uniform = [this] { return static_cast<double>(random_() >> 11) * 0x1p-53; };
  const double noisy = work_ns * (1 + script_.noise * uniform());
  const bool interrupted = uniform() < script_.interruption_share;
  return noisy + (interrupted ? script_.interruption_ns * (0.5 + uniform()) : 0);
}

bool was_endless(const device::Error& error) { return std::string_view(error.what()) == endless; }

void HostBuffer::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  if (offset_bytes > size_bytes_ || bytes.size() > size_bytes_ - offset_bytes) throw device::Error("beyond the end");
  write_offsets.push_back(offset_bytes);
  if (!bytes.empty())
    std::memcpy(reinterpret_cast<std::byte*>(words.data()) + offset_bytes, bytes.data(), bytes.size());
}

void HostBuffer::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  if (offset_bytes > size_bytes_ || bytes.size() > size_bytes_ - offset_bytes) throw device::Error("beyond the end");
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), reinterpret_cast<const std::byte*>(words.data()) + offset_bytes, bytes.size());
  }
}

}  // namespace sonde::test
