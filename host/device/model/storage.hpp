#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "device/model/address_space.hpp"

namespace sonde::device::model {

/// The order in which a chase visits a buffer's words, once it has been all around: to follow it again the
/// host need not wait for its own memory at every hop. Any change of the contents forgets it.
struct Walk {
  std::vector<std::uint32_t> words;
  bool is_closed = false;        ///< the last of `words` leads to the first
  std::size_t position = 0;      ///< in `words`, where the last walk stopped once it is closed
  std::uint32_t stopped_at = 0;  ///< the word itself; a walk from elsewhere starts a new record
};

/// Every so-many-th word of a buffer, side by side: a random walk over one word of each line then waits for little of
/// the host's own memory. Any change of the contents forgets it.
struct SpacedWords {
  std::uint32_t step = 0;
  std::uint64_t loads = 0;           ///< so many were asked for until now
  std::vector<std::uint32_t> words;  ///< empty until they are worth a copy
};

/// A buffer of the simulated device: real bytes, which the host commits as they are first touched, and a
/// range of simulated addresses.
class Storage : public Buffer {
 public:
  Storage(std::shared_ptr<AddressSpace> space, std::uint64_t size_bytes);
  ~Storage() override;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override;
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override;

  [[nodiscard]] std::uint32_t* words() { return words_.get(); }
  [[nodiscard]] Walk& walk() { return walk_; }
  /// The words whose number is a multiple of `step`, once so many loads of them make the copy worth its time; null
  /// before.
  [[nodiscard]] const std::uint32_t* spaced_words(std::uint32_t step, std::uint64_t loads);
  /// Whoever changes words says so.
  void changed() {
    walk_ = {};
    spaced_ = {};
    ++version_;
  }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] bool lies_in(const AddressSpace& space) const { return space_.get() == &space; }

 private:
  struct Free {
    void operator()(std::uint32_t* words) const { std::free(words); }
  };

  std::shared_ptr<AddressSpace> space_;  ///< shared, as a buffer may be dropped after its device
  std::uint64_t size_bytes_;
  std::unique_ptr<std::uint32_t, Free> words_;
  std::uint64_t address_;
  Walk walk_;
  SpacedWords spaced_;
  std::uint64_t version_ = 1;
};

}  // namespace sonde::device::model
