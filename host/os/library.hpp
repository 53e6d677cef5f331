#pragma once

#include <memory>
#include <string>

namespace sonde::os {

/// A library that is loaded when it is asked for, and let go with this object.
class Library {
 public:
  Library() = default;
  /// Holds nothing where it cannot be loaded; `why_not` then says why.
  explicit Library(const std::string& file);

  explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// Sets `function` to the library's of that name, null where it has none.
  template <typename Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;

  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> handle_;
  std::string why_not_;
};

}  // namespace sonde::os
