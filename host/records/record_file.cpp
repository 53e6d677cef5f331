#include "records/record_file.hpp"

#include <stdexcept>
#include <string>
#include <system_error>

namespace sonde::records {
namespace {

/// Throws the one sentence that a user reads in place of what the system said.
os::NewFile make(const std::filesystem::path& path) try {
  return os::NewFile(path);
} catch (const std::system_error& error) {
  if (error.code() == std::errc::file_exists) {
    throw std::runtime_error(path.string() + " exists already and is not overwritten; choose another name with --out");
  }
  throw std::runtime_error("cannot write " + path.string() + ": " + error.code().message());
}

}  // namespace

RecordFile::RecordFile(const std::filesystem::path& path) : path_(path), file_(make(path)) {}

void RecordFile::append(std::string_view line) try {
  std::string text(line);
  text += '\n';
  file_.append(text);
} catch (const std::system_error& error) {
  throw std::runtime_error("cannot write to " + path_.string() + ": " + error.code().message());
}

}  // namespace sonde::records
