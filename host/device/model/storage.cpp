#include "device/model/storage.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "os/pages.hpp"

namespace sonde::device::model {
namespace {

ZeroedWords zeroed_words(std::uint64_t size_bytes) {
  ZeroedWords words(static_cast<std::uint32_t*>(std::calloc((size_bytes + 3) / 4, 4)));
  if (words == nullptr) {
    throw Error("this computer has no room for a simulated buffer of " + std::to_string(size_bytes) + " bytes");
  }
  // A random walk through 4 KiB pages spends most of its real time in the host's own translation. Of a larger buffer
  // mostly a line here and there is touched, and each would fill a huge page.
  constexpr std::uint64_t huge = 2u << 20;
  constexpr std::uint64_t walked_whole = 256u << 20;
  if (size_bytes > walked_whole) return words;
  const std::uint64_t begin = (reinterpret_cast<std::uint64_t>(words.get()) + huge - 1) / huge * huge;
  const std::uint64_t end = (reinterpret_cast<std::uint64_t>(words.get()) + size_bytes) / huge * huge;
  if (begin < end) os::prefer(os::PageKind::huge, reinterpret_cast<void*>(begin), end - begin);
  return words;
}

/// What this computer takes to move bytes of a simulated buffer, and to clear the pages they are the first to touch.
Nanoseconds moving(std::uint64_t bytes) {
  constexpr double host_gbps = 1.5;
  return Nanoseconds(static_cast<double>(bytes) / host_gbps);
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
  changed(offset_bytes / sizeof(std::uint32_t), bytes.size() / sizeof(std::uint32_t) + 2);
  clocks().beside_dispatches += std::max(costs_.writing(bytes.size()), moving(bytes.size()));
  // What is written may lie in this buffer too.
  if (!bytes.empty()) std::memmove(this->bytes().data() + offset_bytes, bytes.data(), bytes.size());
}

void Storage::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  std::ranges::copy(read_in_place(offset_bytes, bytes.size()), bytes.begin());
  // What reading costs on a real device is counted already.
  clocks().beside_dispatches += std::max(Nanoseconds(0), moving(bytes.size()) - costs_.reading(bytes.size()));
}

std::span<const std::byte> Storage::read_in_place(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  check_range(offset_bytes, size_bytes);
  settle();
  clocks().beside_dispatches += costs_.reading(size_bytes);
  return bytes().subspan(offset_bytes, size_bytes);
}

void Storage::mark_pages(std::uint64_t first_word, std::uint64_t count) {
  const std::uint64_t first = first_word * sizeof(std::uint32_t) / host_page_bytes;
  const std::uint64_t last = ((first_word + count) * sizeof(std::uint32_t) - 1) / host_page_bytes;
  const std::uint64_t end = std::min<std::uint64_t>(last + 1, pages_that_differ_.size());
  for (std::uint64_t page = first; page < end; ++page) pages_that_differ_[page] = 1;
}

void Storage::copy_changes(std::byte* to) {
  for (std::size_t page = 0; page < pages_that_differ_.size(); ++page) {
    if (pages_that_differ_[page] == 0) continue;
    const std::uint64_t begin = page * host_page_bytes;
    std::memcpy(to + begin, bytes().data() + begin, std::min(host_page_bytes, size_bytes_ - begin));
  }
  forget_changes();
}

std::span<std::byte> SharedStorage::map(Access access) {
  access_ = access;
  call();
  if (zero_copy_) {
    seen_by_cpu();
    if (access != Access::read) changed();
    return bytes();
  }
  if (copy_ == nullptr) {
    copy_ = zeroed_words(size_bytes());
    remember_changes();
  }
  const std::span copy(reinterpret_cast<std::byte*>(copy_.get()), size_bytes());
  if (access == Access::overwrite) return copy;
  (void)read_in_place(0, size_bytes());
  copy_changes(copy.data());
  return copy;
}

void SharedStorage::unmap() {
  call();
  if (access_ == Access::read) return;
  if (zero_copy_) return changed();
  write(0, std::span(reinterpret_cast<const std::byte*>(copy_.get()), size_bytes()));
  forget_changes();
}

void SharedStorage::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  Storage::write(offset_bytes, bytes);
  clocks().host += costs().writing(bytes.size());
}

std::span<const std::byte> SharedStorage::read_in_place(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  const std::span<const std::byte> bytes = Storage::read_in_place(offset_bytes, size_bytes);
  clocks().host += costs().reading(size_bytes);
  return bytes;
}

void SharedStorage::call() {
  clocks().host += HostCosts::map;
  clocks().beside_dispatches += HostCosts::map;
}

}  // namespace sonde::device::model
