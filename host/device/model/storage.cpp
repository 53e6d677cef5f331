#include "device/model/storage.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "os/pages.hpp"

namespace sonde::device::model {
namespace {

std::uint32_t* zeroed_words(std::uint64_t size_bytes) {
  void* const bytes = std::calloc((size_bytes + 3) / 4, 4);
  if (bytes == nullptr) {
    throw Error("this computer has no room for a simulated buffer of " + std::to_string(size_bytes) + " bytes");
  }
  // A random walk through 4 KiB pages spends most of its real time in the host's own translation. Of a larger buffer
  // mostly a line here and there is touched, and each would fill a huge page.
  constexpr std::uint64_t huge = 2u << 20;
  constexpr std::uint64_t walked_whole = 256u << 20;
  if (size_bytes > walked_whole) return static_cast<std::uint32_t*>(bytes);
  const std::uint64_t begin = (reinterpret_cast<std::uint64_t>(bytes) + huge - 1) / huge * huge;
  const std::uint64_t end = (reinterpret_cast<std::uint64_t>(bytes) + size_bytes) / huge * huge;
  if (begin < end) os::prefer(os::PageKind::huge, reinterpret_cast<void*>(begin), end - begin);
  return static_cast<std::uint32_t*>(bytes);
}

}  // namespace

AddressSpace::AddressSpace(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t begin)
    : begin_(begin),
      size_bytes_(size_bytes / alignment_bytes * alignment_bytes),
      alignment_bytes_(alignment_bytes),
      free_bytes_(size_bytes_) {}

std::uint64_t AddressSpace::take(std::uint64_t size_bytes) {
  if (size_bytes == 0) throw Error("a buffer needs at least one byte");
  if (size_bytes > free_bytes_) throw Unsupported("the simulated memory has too little left for this buffer");
  const std::uint64_t rounded = (size_bytes + alignment_bytes_ - 1) / alignment_bytes_ * alignment_bytes_;
  std::uint64_t address = gap_from(next_, rounded);
  if (address + rounded > size_bytes_) address = gap_from(0, rounded);
  if (address + rounded > size_bytes_) throw Unsupported("the simulated memory has no gap for this buffer");
  taken_.emplace(address, rounded);
  free_bytes_ -= rounded;
  next_ = address + rounded;
  return begin_ + address;
}

void AddressSpace::give_back(std::uint64_t address) { free_bytes_ += taken_.extract(address - begin_).mapped(); }

std::uint64_t AddressSpace::gap_from(std::uint64_t address, std::uint64_t size_bytes) const {
  for (const auto& [first, bytes] : taken_) {
    if (first + bytes <= address) continue;
    if (first >= address && first - address >= size_bytes) break;
    address = first + bytes;
  }
  return address;
}

Storage::Storage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes, const HostCosts& costs,
                 std::shared_ptr<Shared> shared)
    : space_(std::move(space)),
      size_bytes_(size_bytes),
      words_(zeroed_words(size_bytes)),
      address_(space_->take(size_bytes)),
      costs_(costs),
      shared_(std::move(shared)) {
  clocks().beside_dispatches += costs_.making(size_bytes);
}

Storage::~Storage() {
  shared_->unread.forget(*this);
  space_->give_back(address_);
  clocks().beside_dispatches += HostCosts::free_buffer;
}

void Storage::write_later(Unread::Write write) {
  changed();
  const bool can_wait = !is_seen_by_cpu_ && std::ranges::none_of(write.inputs, &Storage::is_seen_by_cpu);
  shared_->unread.add(std::move(write));
  if (!can_wait) settle();
}

const std::uint32_t* Storage::spaced_words(std::uint32_t step, std::uint64_t loads) {
  if (step == 0) return nullptr;
  // Words side by side are read that much faster than words here and there.
  constexpr std::uint64_t times_faster = 8;
  if (spaced_.step != step) spaced_ = {.step = step, .loads = 0, .words = {}};
  spaced_.loads += loads;
  const std::uint64_t all_words = size_bytes_ / sizeof(std::uint32_t);
  if (spaced_.words.empty() && spaced_.loads * times_faster > all_words / step) {
    for (std::uint64_t word = 0; word < all_words; word += step) spaced_.words.push_back(words()[word]);
  }
  return spaced_.words.empty() ? nullptr : spaced_.words.data();
}

void Storage::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  settle();
  changed();
  clocks().beside_dispatches += costs_.writing(bytes.size());
  if (!bytes.empty()) std::memcpy(this->bytes().data() + offset_bytes, bytes.data(), bytes.size());
}

void Storage::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  settle();
  clocks().beside_dispatches += costs_.reading(bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), this->bytes().data() + offset_bytes, bytes.size());
}

std::span<std::byte> SharedStorage::map(Access access) {
  access_ = access;
  call();
  if (zero_copy_) {
    seen_by_cpu();
    if (access != Access::read) changed();
    return bytes();
  }
  copy_.resize(size_bytes());
  if (access != Access::overwrite) read(0, copy_);
  return copy_;
}

void SharedStorage::unmap() {
  call();
  if (access_ == Access::read) return;
  if (zero_copy_) return changed();
  write(0, copy_);
}

void SharedStorage::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  Storage::write(offset_bytes, bytes);
  clocks().host += costs().writing(bytes.size());
}

void SharedStorage::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  Storage::read(offset_bytes, bytes);
  clocks().host += costs().reading(bytes.size());
}

void SharedStorage::call() {
  clocks().host += HostCosts::map;
  clocks().beside_dispatches += HostCosts::map;
}

}  // namespace sonde::device::model
