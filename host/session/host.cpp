#include "session/host.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <string>

#include "os/machine.hpp"

namespace sonde::session {
records::HostRecord describe_host() {
  const os::Machine machine = os::describe_machine();
  return {.name = machine.name,
          .os = machine.system,
          .kernel = machine.kernel,
          .cpu = machine.processor,
          .cores = std::max(1u, os::online_cpus()),
          .memory_bytes = os::memory_bytes(),
          .virtualised = machine.virtualised};
}

std::string time_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())); }

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
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFFu,
                     words[2] >> 16, words[2] & 0xFFFFu, words[3]);
}

}  // namespace sonde::session
