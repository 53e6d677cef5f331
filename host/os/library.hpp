#pragma once

#include <memory>
#include <string>

namespace sonde::os {

/// What this system calls the loaders of the two APIs, and NVIDIA's management library.
extern const char* const opencl_loader;
extern const char* const vulkan_loader;
extern const char* const nvidia_management;

/// "(Debian and Ubuntu: libvulkan1)", or what brings a loader elsewhere.
std::string who_has_loader(const std::string& debian_package);

/// A library that is loaded when it is asked for, and let go with this object.
class Library {
 public:
  Library() = default;
  /// Holds nothing where it cannot be loaded; `why_not` then says why.
  explicit Library(const std::string& file);

  explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Whether there is no file of that name at all. Another one, or one that it needs, may be what cannot be loaded.
  [[nodiscard]] bool is_missing() const { return is_missing_; }

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
  bool is_missing_ = false;
};

}  // namespace sonde::os
