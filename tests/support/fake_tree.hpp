#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace sonde::test {

/// A folder that stands for the root of a machine's files, gone at the end.
class FakeTree {
 public:
  FakeTree() {
    std::random_device random;
    do {
      root_ = std::filesystem::temp_directory_path() / ("sonde-tree-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(root_));  // false where another has it already
  }
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;
  ~FakeTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  /// Writes a file, with the folders that it needs, and returns its full name.
  std::filesystem::path write(const std::filesystem::path& file, const std::string& text) const {
    const std::filesystem::path path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  void remove(const std::filesystem::path& file) const { std::filesystem::remove_all(root_ / file); }

 private:
  std::filesystem::path root_;
};

}  // namespace sonde::test
