#include <algorithm>
#include <cstring>
#include <vector>

#include "device/error.hpp"
#include "kernels.hpp"
#include "probes/zero_copy/zero_copy.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint32_t growth = 0x9E3779B9u;  // as the kernel has it
constexpr std::uint32_t largest_group = 128;
constexpr std::uint32_t groups_for_all = 64;
constexpr std::uint64_t page_words = 1024;

}  // namespace

SharedBuffer::SharedBuffer(device::Device& on, measure::Name kind, std::uint64_t bytes, std::uint64_t seed)
    : device(on),
      memory(kind.str()),
      group_size(std::min(largest_group, on.info().largest_group_size)),
      kernel(on.make_kernel(kernels::touch, group_size)),
      buffer(workloads::buffer_in(on, kind, bytes)),
      sums(on.make_buffer(std::uint64_t{group_size} * groups_for_all * sizeof(std::uint32_t))),
      words(static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t))),
      random(seed) {
  const TouchedWords all = choose(Order::cycle);
  cpu_writes(buffer->map(device::Access::write), all);
  buffer->unmap();
  device_writes(all);
}

TouchedWords SharedBuffer::choose(Order order) {
  if (order == Order::cycle) return {.first = 0, .step = 1, .count = words};
  if (order == Order::independent) return {.first = static_cast<std::uint32_t>(random() % words)};
  const auto pages = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(words / page_words, 1, most_touched_pages));
  const std::uint32_t step = words / pages;
  return {.first = static_cast<std::uint32_t>(random() % step), .step = step, .count = pages};
}

void SharedBuffer::cpu_writes(std::span<std::byte> mapped, const TouchedWords& which) const {
  std::uint32_t word = value;
  for (std::uint64_t i = 0; i < which.count; ++i, word += growth) {
    std::memcpy(mapped.data() + (which.first + i * which.step) * sizeof word, &word, sizeof word);
  }
}

void SharedBuffer::cpu_reads(const TouchedWords& which) const {
  const std::span<const std::byte> mapped = buffer->map(device::Access::read);
  std::uint32_t expected = value;
  for (std::uint64_t i = 0; i < which.count; ++i, expected += growth) {
    const std::uint64_t at = which.first + i * which.step;
    std::uint32_t found = 0;
    std::memcpy(&found, mapped.data() + at * sizeof found, sizeof found);
    if (found == expected) continue;
    throw device::Error("the CPU found " + std::to_string(found) + " in word " + std::to_string(at) + " of a " +
                        name() + ", where the device had written " + std::to_string(expected) +
                        "; please report the driver");
  }
  buffer->unmap();
}

SharedBuffer::Items SharedBuffer::items_for(const TouchedWords& which) const {
  Items items{.groups = which.count > most_touched_pages ? groups_for_all : 1};
  items.count = items.groups * group_size;
  items.each = (which.count + items.count - 1) / items.count;
  const bool cpu = device.info().type == device::DeviceType::cpu;
  items.item_step = cpu ? items.each : 1;
  items.loop_step = cpu ? 1 : items.count;
  return items;
}

void SharedBuffer::launch(const TouchedWords& which, std::uint32_t stores) {
  const Items items = items_for(which);
  kernel_time = device.run(*kernel, {.buffers = {buffer.get(), sums.get()},
                                     .scalars = {which.first, which.step, which.count, items.each, items.item_step,
                                                 items.loop_step, value, stores},
                                     .groups = items.groups});
}

void SharedBuffer::check_sums(const TouchedWords& which) const {
  const Items items = items_for(which);
  std::vector<std::uint32_t> found(items.count);
  sums->read(0, std::as_writable_bytes(std::span(found)));
  for (std::uint32_t item = 0; item < items.count; ++item) {
    std::uint32_t expected = 0;
    for (std::uint32_t turn = 0; turn < items.each; ++turn) {
      const std::uint32_t i = item * items.item_step + turn * items.loop_step;
      if (i < which.count) expected += (value + i * growth) * (2 * i + 1);
    }
    if (found[item] == expected) continue;
    throw device::Error("the device did not find what the CPU had written to a " + name() +
                        "; please report the driver");
  }
}

std::string SharedBuffer::name() const {
  return size_text(static_cast<double>(buffer->size_bytes())) + " buffer in " + memory + " memory";
}

}  // namespace sonde::probes
