#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sonde::records {

/// A record file being written. Every line reaches the system in one call, so a run that is killed keeps all of
/// them but perhaps the last.
class RecordFile {
 public:
  /// Creates the file; throws std::runtime_error with one sentence when it exists or cannot be written.
  explicit RecordFile(const std::filesystem::path& path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Throws std::runtime_error when the disk is full or gone.
  void append(std::string_view line);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace sonde::records
