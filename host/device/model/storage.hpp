#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/model/clocks.hpp"
#include "device/model/unread.hpp"

namespace sonde::device::model {

/// The simulated device's physical memory. A new range begins behind the one taken last, even where earlier memory was
/// given back, so that a new buffer finds none of its lines in a cache.
class AddressSpace {
 public:
  /// Ranges start at multiples of `alignment_bytes`, of which `begin` is one.
  AddressSpace(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t begin = 0);

  /// Takes a range and returns its first address; throws Unsupported when no gap is long enough.
  std::uint64_t take(std::uint64_t size_bytes);
  void give_back(std::uint64_t address);
  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }
  [[nodiscard]] std::uint64_t end() const { return begin_ + size_bytes_; }

 private:
  [[nodiscard]] std::uint64_t gap_from(std::uint64_t address, std::uint64_t size_bytes) const;

  std::uint64_t begin_;
  std::uint64_t size_bytes_;
  std::uint64_t alignment_bytes_;
  std::uint64_t free_bytes_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::uint64_t> taken_;  ///< first address, counted from the beginning, to size
};

/// The order in which a chase visits a buffer's words, once it has been all around: to follow it again the
/// host need not wait for its own memory at every hop. Any change of the contents forgets it.
struct Walk {
  std::vector<std::uint32_t> words;
  bool is_closed = false;        ///< the last of `words` leads to the first
  std::size_t position = 0;      ///< in `words`, where the last walk stopped once it is closed
  std::uint32_t stopped_at = 0;  ///< the word itself; a walk from elsewhere starts a new record
};

/// One word in every `step` of a buffer, side by side: a random walk over one word of each line then waits little for
/// the host's own memory. Any change of the contents forgets it.
struct SpacedWords {
  std::uint32_t step = 0;
  std::uint64_t loads = 0;           ///< how many were asked for until now
  std::vector<std::uint32_t> words;  ///< empty until they are worth a copy
};

/// What a device and all its buffers have in common, as buffers may be dropped after it.
struct Shared {
  Clocks clocks;
  Unread unread;
};

struct FreeWords {
  void operator()(std::uint32_t* words) const { std::free(words); }
};
using ZeroedWords = std::unique_ptr<std::uint32_t, FreeWords>;

/// A buffer of the simulated device: real bytes, which the host commits as they are first touched, and a
/// range of simulated addresses.
class Storage : public Buffer {
 public:
  Storage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes, const HostCosts& costs,
          std::shared_ptr<Shared> shared);
  ~Storage() override;

  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override;
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override;
  /// What read() would give and at its cost, where it lies: good until the buffer changes.
  [[nodiscard]] virtual std::span<const std::byte> read_in_place(std::uint64_t offset_bytes, std::uint64_t size_bytes);

  /// Computes what is unread; has to be called before the words are read or changed.
  void settle() { shared_->unread.settle(*this); }
  /// Lets a kernel's writes to this buffer wait until somebody reads them.
  void write_later(Unread::Write write);
  [[nodiscard]] bool is_seen_by_cpu() const { return is_seen_by_cpu_; }
  [[nodiscard]] std::uint32_t* words() { return words_.get(); }
  [[nodiscard]] Walk& walk() { return walk_; }
  /// The words whose number is a multiple of `step`, once so many loads of them make the copy worth its time; null
  /// before.
  [[nodiscard]] const std::uint32_t* spaced_words(std::uint32_t step, std::uint64_t loads);
  /// Has to be called after every change of words.
  void changed() { changed(0, (size_bytes_ + 3) / 4); }
  void changed(std::uint64_t first_word, std::uint64_t count) {
    walk_ = {};
    spaced_ = {};
    ++version_;
    if (!pages_that_differ_.empty() && count > 0) mark_pages(first_word, count);
  }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] bool lies_in(const AddressSpace& space) const { return space_.get() == &space; }

 protected:
  [[nodiscard]] std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(words()), size_bytes_}; }
  [[nodiscard]] const HostCosts& costs() const { return costs_; }
  [[nodiscard]] Clocks& clocks() { return shared_->clocks; }
  /// Which pages of the words have changed since they were last copied is remembered from here on.
  void remember_changes() { pages_that_differ_.assign((size_bytes_ + host_page_bytes - 1) / host_page_bytes, 1); }
  /// Copies the pages that have changed since the last time.
  void copy_changes(std::byte* to);
  /// The copy has become the same as the words.
  void forget_changes() { std::ranges::fill(pages_that_differ_, std::uint8_t{0}); }
  /// The CPU may look at the words at any time from here on.
  void seen_by_cpu() {
    settle();
    is_seen_by_cpu_ = true;
  }

 private:
  static constexpr std::uint64_t host_page_bytes = 4096;

  void mark_pages(std::uint64_t first_word, std::uint64_t count);

  std::shared_ptr<AddressSpace> space_;  ///< shared, as a buffer may be dropped after its device
  std::uint64_t size_bytes_;
  ZeroedWords words_;
  std::uint64_t address_;
  HostCosts costs_;
  std::shared_ptr<Shared> shared_;
  bool is_seen_by_cpu_ = false;
  Walk walk_;
  SpacedWords spaced_;
  std::uint64_t version_ = 1;
  std::vector<std::uint8_t> pages_that_differ_;  ///< from a copy of the words; empty where there is none
};

/// A buffer that the CPU may map; one that is not zero-copy is copied whole each time, contents and all. The host
/// copies no page to it that the CPU has already.
class SharedStorage final : public Storage {
 public:
  SharedStorage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes, bool zero_copy, const HostCosts& costs,
                std::shared_ptr<Shared> shared)
      : Storage(std::move(space), size_bytes, costs, std::move(shared)), zero_copy_(zero_copy) {}

  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override;
  [[nodiscard]] std::span<const std::byte> read_in_place(std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
  [[nodiscard]] std::span<std::byte> map(Access access) override;
  void unmap() override;

 private:
  void call();

  bool zero_copy_;
  Access access_ = Access::read;
  ZeroedWords copy_;  ///< what the CPU sees while it is mapped
};

}  // namespace sonde::device::model
