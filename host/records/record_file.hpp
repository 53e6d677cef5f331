#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "os/file.hpp"

namespace sonde::records {

/// A record file being written. Every line reaches the system in one call, so a run that is killed keeps all of
/// them but perhaps the last.
class RecordFile {
 public:
  /// Creates the file; throws std::runtime_error with one sentence when it exists or cannot be written.
  explicit RecordFile(const std::filesystem::path& path);

  /// Throws std::runtime_error when the disk is full or gone.
  void append(std::string_view line);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  os::NewFile file_;
};

}  // namespace sonde::records
