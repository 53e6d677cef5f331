#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "os/file.hpp"
#include "os/windows.hpp"

// Source: CreateFile. Other programs may read, write, rename and delete a file that is open here, as on other systems.
namespace sonde::os {
namespace {

constexpr DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

/// Returns the C library's descriptor, which no child inherits.
int open_new(const std::filesystem::path& path) {
  OwnHandle made = own(CreateFileW(path.c_str(), FILE_APPEND_DATA | GENERIC_READ, shared, nullptr, CREATE_NEW,
                                   FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!made) throw std::system_error(last_error());
  const int file = _open_osfhandle(reinterpret_cast<std::intptr_t>(made.release()), _O_APPEND | _O_BINARY);
  if (file < 0) throw std::system_error(std::make_error_code(std::errc::too_many_files_open));
  return file;
}

std::optional<BY_HANDLE_FILE_INFORMATION> about(HANDLE file) {
  BY_HANDLE_FILE_INFORMATION information{};
  if (GetFileInformationByHandle(file, &information) == 0) return std::nullopt;
  return information;
}

/// What follows in an open file, up to `most_bytes`; nothing where it cannot be read.
std::optional<std::string> rest_of(HANDLE file, std::size_t most_bytes) {
  std::string bytes;
  std::array<char, 65536> piece;
  DWORD count = 1;
  while (bytes.size() < most_bytes && count != 0) {
    const auto wanted = static_cast<DWORD>(std::min(piece.size(), most_bytes - bytes.size()));
    if (ReadFile(file, piece.data(), wanted, &count, nullptr) == 0) return std::nullopt;
    bytes.append(piece.data(), count);
  }
  return bytes;
}

}  // namespace

std::filesystem::path path_of(const std::string& utf8) { return wide(utf8); }

std::optional<std::string> read_bytes(const std::filesystem::path& file, std::size_t most_bytes) {
  const OwnHandle handle =
      own(CreateFileW(file.c_str(), GENERIC_READ, shared, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  // Reading a pipe or a device may block for ever.
  if (!handle || GetFileType(handle.get()) != FILE_TYPE_DISK) return std::nullopt;
  return rest_of(handle.get(), most_bytes);
}

NewFile::NewFile(const std::filesystem::path& path) : file_(open_new(path)) {}

NewFile::~NewFile() { _close(file_); }

void NewFile::append(std::string_view text) {
  while (!text.empty()) {
    constexpr std::size_t most = 1 << 30;
    DWORD written = 0;
    if (WriteFile(handle_of(file_), text.data(), static_cast<DWORD>(std::min(text.size(), most)), &written, nullptr) ==
            0 ||
        written == 0)
      throw std::system_error(last_error());
    text.remove_prefix(written);
  }
}

bool NewFile::was_removed() const {
  FILE_STANDARD_INFO information{};
  return GetFileInformationByHandleEx(handle_of(file_), FileStandardInfo, &information, sizeof information) != 0 &&
         (information.DeletePending != 0 || information.NumberOfLinks == 0);
}

bool NewFile::is_at(const std::filesystem::path& path) const {
  const OwnHandle other = own(CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, shared, nullptr, OPEN_EXISTING,
                                          FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  const auto here = about(handle_of(file_));
  const auto there = other ? about(other.get()) : std::nullopt;
  return here && there && here->dwVolumeSerialNumber == there->dwVolumeSerialNumber &&
         here->nFileIndexHigh == there->nFileIndexHigh && here->nFileIndexLow == there->nFileIndexLow;
}

std::string NewFile::content() const {
  SetFilePointerEx(handle_of(file_), {}, nullptr, FILE_BEGIN);  // text is appended wherever this points
  if (std::optional<std::string> text = rest_of(handle_of(file_), std::string::npos)) return *std::move(text);
  throw std::system_error(last_error());
}

}  // namespace sonde::os
