#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace sonde::test {

/// A folder that stands for the root of a machine's files, gone at the end.
class FakeTree {
 public:
  FakeTree() {
    std::string name = (std::filesystem::temp_directory_path() / "sonde-tree-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name;
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
