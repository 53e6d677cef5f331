#pragma once

#include <memory>
#include <string>

namespace sonde::os {

/// This system's file names of the two APIs' loaders and of NVIDIA's management library.
extern const char* const opencl_loader;
extern const char* const vulkan_loader;
extern const char* const nvidia_management;

/// Where a user gets a loader: "(Debian and Ubuntu: libvulkan1)", or what brings it on other systems.
std::string loader_package(const std::string& debian_package);

/// A shared library that is loaded at run time and unloaded with this object.
class Library {
 public:
  /// Holds nothing where the file cannot be loaded; `why_not` then says why.
  explicit Library(const std::string& file);

  explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Whether there is no file of that name. False where the file is there and cannot be loaded, or needs one that is
  /// missing.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  /// The file that was loaded, by its one path without links; empty where none was.
  [[nodiscard]] std::string file() const;

  /// Sets `function` to the library's function of that name, null where it has none.
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
