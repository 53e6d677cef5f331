#include "session/host.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace sonde::session {
namespace {

/// The rest of the first line that starts with `key`, without separators and quotes.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto start = line.find_first_not_of(" \t:=\"", key.size());
    if (start == std::string::npos) return "";
    return line.substr(start, line.find_last_not_of(" \t\"") + 1 - start);
  }
  return "";
}

}  // namespace

records::HostRecord describe_host() {
  utsname system{};
  uname(&system);
  records::HostRecord host;
  host.name = system.nodename;
  host.os = value_in("/etc/os-release", "PRETTY_NAME");
  host.kernel = std::string(system.sysname) + " " + system.release;
  host.cpu = value_in("/proc/cpuinfo", "model name");
  if (host.cpu.empty()) host.cpu = system.machine;
  host.cores = static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  host.memory_bytes = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
                      static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  host.virtualised = (" " + value_in("/proc/cpuinfo", "flags") + " ").find(" hypervisor ") != std::string::npos;
  return host;
}

std::string time_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string compact_time(const std::string& time) {
  std::string compact;
  std::ranges::copy_if(time, std::back_inserter(compact), [](char c) { return c != '-' && c != ':'; });
  return compact;
}

std::string random_uuid() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{random(), random(), random(), random()};
  words[1] = (words[1] & 0xFFFF0FFFu) | 0x00004000u;
  words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16, words[1] & 0xFFFFu,
                words[2] >> 16, words[2] & 0xFFFFu, words[3]);
  return text.data();
}

}  // namespace sonde::session
