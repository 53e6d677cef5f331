#pragma once

#include <memory>

#include "os/file.hpp"

namespace sonde::records {

/// The path with a number in its name: "a-2.jsonl" of "a.jsonl" and "2".
std::filesystem::path numbered(const std::filesystem::path& path, const std::string& number);

/// The error for a name that another file has.
std::string already_there(const std::filesystem::path& path);

/// The treatment of a file name that is already taken.
enum class IfTaken { refuse, number };

/// A record file being written. Every line reaches the system in one call, so a run that is killed keeps all of them
/// but perhaps the last.
class RecordFile {
 public:
  /// Creates the file, with a number in its name where another has it and that is allowed. Throws std::runtime_error
  /// with one sentence when it cannot be written.
  explicit RecordFile(const std::filesystem::path& wanted, IfTaken if_taken = IfTaken::refuse);

  /// Throws std::runtime_error when the disk is full or gone.
  void append(std::string_view line);

  /// Makes a file that somebody has removed again, with everything in it, in its folder or in that of temporary files.
  /// `append` does so too. Throws std::runtime_error where neither can be.
  void keep();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool was_made_again() const { return made_again_; }
  /// Whether the path leads to the file, and nobody has moved or replaced it.
  [[nodiscard]] bool is_in_place() const { return file_->is_at(path_); }

 private:
  std::filesystem::path path_;
  std::filesystem::path absolute_;  ///< the folder that this program works in may be removed too
  std::unique_ptr<os::NewFile> file_;
  bool made_again_ = false;
};

}  // namespace sonde::records
