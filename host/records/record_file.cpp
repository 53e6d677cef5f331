#include "records/record_file.hpp"

#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

namespace sonde::records {
namespace {

using Path = std::filesystem::path;

/// A new file, and the name that it has. Throws std::system_error.
std::pair<Path, std::unique_ptr<os::NewFile>> make(const Path& wanted, IfTaken if_taken) {
  for (int number = 1;; ++number) {
    try {
      const Path name = number == 1 ? wanted : numbered(wanted, std::to_string(number));
      return {name, std::make_unique<os::NewFile>(name)};
    } catch (const std::system_error& error) {
      if (if_taken == IfTaken::refuse || error.code() != std::errc::file_exists) throw;
    }
  }
}

}  // namespace

Path numbered(const Path& path, const std::string& number) {
  Path name = path.parent_path() / path.stem();
  name += "-" + number;
  name += path.extension();
  return name;
}

std::string already_there(const Path& path) {
  return path.string() + " exists already and is not overwritten; choose another name with --out";
}

RecordFile::RecordFile(const Path& wanted, IfTaken if_taken) try {
  std::tie(path_, file_) = make(wanted, if_taken);
  absolute_ = std::filesystem::absolute(path_);
} catch (const std::system_error& error) {
  if (error.code() == std::errc::file_exists) {
    throw std::runtime_error(already_there(wanted));
  }
  throw std::runtime_error("cannot write " + wanted.string() + ": " + error.code().message());
}

void RecordFile::append(std::string_view line) try {
  keep();
  std::string text(line);
  text += '\n';
  file_->append(text);
} catch (const std::system_error& error) {
  throw std::runtime_error("cannot write to " + path_.string() + ": " + error.code().message());
}

void RecordFile::keep() {
  if (!file_->was_removed()) return;
  const std::string all = file_->content();
  std::error_code problem;
  std::filesystem::create_directories(absolute_.parent_path(), problem);
  const Path elsewhere = std::filesystem::temp_directory_path(problem) / absolute_.filename();
  std::string reason;
  for (const Path& place : {absolute_, elsewhere}) {
    try {
      auto [name, file] = make(place, IfTaken::number);
      file->append(all);
      path_ = absolute_ = name;
      file_ = std::move(file);
      made_again_ = true;
      return;
    } catch (const std::system_error& error) {
      reason = error.code().message();
    }
  }
  throw std::runtime_error(path_.string() + " was removed while it was written, and cannot be made again: " + reason);
}

}  // namespace sonde::records
