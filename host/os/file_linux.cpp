#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "os/file.hpp"

namespace sonde::os {
namespace {

[[noreturn]] void throw_errno() { throw std::system_error(errno, std::generic_category()); }

/// What follows in an open file, up to `most_bytes`; nothing where it cannot be read.
std::optional<std::string> rest_of(int file, std::size_t most_bytes) {
  std::string bytes;
  std::array<char, 65536> piece;
  while (bytes.size() < most_bytes) {
    const ssize_t count = read(file, piece.data(), std::min(piece.size(), most_bytes - bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
  return bytes;
}

}  // namespace

std::filesystem::path path_of(const std::string& utf8) { return utf8; }

std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t most_bytes) {
  // A stream would be slower, and this runs many times a second beside a measurement. Without O_NONBLOCK a pipe in a
  // tree that a user made could block for ever.
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::optional<std::string> bytes = rest_of(descriptor, most_bytes);
  close(descriptor);
  return bytes;
}

NewFile::NewFile(const std::filesystem::path& path)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw_errno();
}

NewFile::~NewFile() { close(file_); }

void NewFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_errno();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool NewFile::was_removed() const {
  struct stat about = {};
  return fstat(file_, &about) == 0 && about.st_nlink == 0;
}

bool NewFile::is_at(const std::filesystem::path& path) const {
  struct stat about = {};
  struct stat there = {};
  return fstat(file_, &about) == 0 && stat(path.c_str(), &there) == 0 && about.st_dev == there.st_dev &&
         about.st_ino == there.st_ino;
}

std::string NewFile::content() const {
  lseek(file_, 0, SEEK_SET);  // text is appended wherever this points
  if (std::optional<std::string> text = rest_of(file_, std::string::npos)) return *std::move(text);
  throw_errno();
}

}  // namespace sonde::os
