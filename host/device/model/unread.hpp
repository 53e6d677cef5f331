#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sonde::device::model {

class Storage;

/// The words that kernels wrote and nobody has looked at. They are computed when somebody does, but for those that were
/// written over meanwhile: no program can see a difference, and most of what streams write is never read.
class Unread {
 public:
  struct Write {
    const Storage* target;
    std::vector<const Storage*> inputs;
    std::vector<std::uint64_t> place;  ///< the way in which `target` is divided into parts, none of which is left out
    std::uint32_t first;               ///< the first of the parts of which all words are written, which go around
    std::uint32_t count;
    std::uint32_t parts;
    std::uint64_t words;            ///< that computing it reads and writes
    std::function<void()> compute;  ///< throws nothing: whatever it reaches was checked before
  };

  void add(Write write);
  /// Computes all that is left to do if any of it reads or writes this buffer, which may then be used.
  void settle(const Storage& used);
  /// The same for a buffer that ends and that nobody will read.
  void forget(const Storage& ending);
  /// The words that were read and written so far, which takes the host's time.
  [[nodiscard]] std::uint64_t words() const { return words_; }

 private:
  [[nodiscard]] bool concerns(const Storage& storage) const;
  void compute_all(const Storage* ending);

  std::vector<Write> writes_;
  std::uint64_t words_ = 0;
};

}  // namespace sonde::device::model
