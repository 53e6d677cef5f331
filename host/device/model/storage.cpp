#include "device/model/storage.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "device/error.hpp"
#include "os/pages.hpp"

namespace sonde::device::model {
namespace {

std::uint32_t* zeroed_words(std::uint64_t size_bytes) {
  void* const bytes = std::calloc((size_bytes + 3) / 4, 4);
  if (bytes == nullptr) {
    throw Error("this computer has no room for a simulated buffer of " + std::to_string(size_bytes) + " bytes");
  }
  // A random walk through 4 KiB pages spends most of its real time in the host's own translation. What is larger is
  // mostly for one line here and there, which would have a huge page filled each.
  constexpr std::uint64_t huge = 2u << 20;
  constexpr std::uint64_t walked_whole = 256u << 20;
  if (size_bytes > walked_whole) return static_cast<std::uint32_t*>(bytes);
  const std::uint64_t begin = (reinterpret_cast<std::uint64_t>(bytes) + huge - 1) / huge * huge;
  const std::uint64_t end = (reinterpret_cast<std::uint64_t>(bytes) + size_bytes) / huge * huge;
  if (begin < end) os::prefer(os::PageKind::huge, reinterpret_cast<void*>(begin), end - begin);
  return static_cast<std::uint32_t*>(bytes);
}

}  // namespace

Storage::Storage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes)
    : space_(std::move(space)), size_bytes_(size_bytes), address_(space_->take(size_bytes)) {
  try {
    words_.reset(zeroed_words(size_bytes));
  } catch (...) {
    space_->give_back(address_);
    throw;
  }
}

Storage::~Storage() { space_->give_back(address_); }

const std::uint32_t* Storage::spaced_words(std::uint32_t step, std::uint64_t loads) {
  if (step == 0) return nullptr;
  // Reading on is that much faster than here and there.
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
  changed();
  if (!bytes.empty()) {
    std::memcpy(reinterpret_cast<std::byte*>(words()) + offset_bytes, bytes.data(), bytes.size());
  }
}

void Storage::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), reinterpret_cast<const std::byte*>(words()) + offset_bytes, bytes.size());
  }
}

}  // namespace sonde::device::model
