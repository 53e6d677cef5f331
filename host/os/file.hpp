#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sonde::os {

/// A path from UTF-8, in which the program keeps text on every system. std::filesystem::path would read it in the
/// user's code page on Windows.
std::filesystem::path path_of(const std::string& utf8);

/// The first `most_bytes` of a file; nothing where it cannot be read. Never waits, not even for a pipe.
std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t most_bytes);

/// A file that was not there before and to which text is appended. Every piece reaches the system in one call.
class NewFile {
 public:
  /// Throws std::system_error: file_exists where there is one of that name, or the reason why it cannot be written.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Throws std::system_error when the disk is full or gone.
  void append(std::string_view text);

  /// Whether no folder has the file any more, so that it vanishes with this object.
  [[nodiscard]] bool was_removed() const;
  /// Whether a path leads to this file.
  [[nodiscard]] bool is_at(const std::filesystem::path& path) const;
  /// Returns all that was appended. Throws std::system_error.
  [[nodiscard]] std::string content() const;

 private:
  int file_;
};

}  // namespace sonde::os
