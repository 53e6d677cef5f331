#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sonde::os {

/// A path from UTF-8, which a user's words are here on every system: the standard library's own way takes them for what
/// the system's older programs wrote.
std::filesystem::path path_of(const std::string& utf8);

/// The first `most_bytes` of a file, as sysfs and /proc have them; nothing where it cannot be read. Never waits.
std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t most_bytes);

/// A file that was not there before, written from its beginning to its end. Every piece reaches the system in one call.
class NewFile {
 public:
  /// Throws std::system_error: file_exists where there is one of that name, else why it cannot be written.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Throws std::system_error when the disk is full or gone.
  void append(std::string_view text);

  /// Whether no folder has it any more: then it ends with this object.
  [[nodiscard]] bool was_removed() const;
  /// Whether it is what a path leads to.
  [[nodiscard]] bool is_at(const std::filesystem::path& path) const;
  /// All that was appended. Throws std::system_error.
  [[nodiscard]] std::string content() const;

 private:
  int file_;
};

}  // namespace sonde::os
