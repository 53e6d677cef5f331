#include "records/record_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <system_error>

namespace sonde::records {

RecordFile::RecordFile(const std::filesystem::path& path) : path_(path) {
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file_ >= 0) return;
  if (errno == EEXIST) {
    throw std::runtime_error(path.string() + " exists already and is not overwritten; choose another name with --out");
  }
  throw std::runtime_error("cannot write " + path.string() + ": " + std::generic_category().message(errno));
}

RecordFile::~RecordFile() {
  if (file_ >= 0) close(file_);
}

void RecordFile::append(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw std::runtime_error("cannot write to " + path_.string() + ": " + std::generic_category().message(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace sonde::records
