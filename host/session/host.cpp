#include "session/host.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cctype>
#include <random>

#include "os/machine.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

/// A text as a part of a file name: signs that a shell or a file system could mind become dashes.
std::string file_word(const std::string& text, std::size_t longest) {
  std::string word = dashed(text, "._").substr(0, longest);
  word.erase(word.find_last_not_of('-') + 1);
  return word;
}

std::string driver_word(const Target& target, std::span<const device::Api> apis) {
  std::string word;
  for (const device::Api one : apis) {
    const records::ApiDevice* device = records::through(target.record, one);
    if (device == nullptr) continue;
    const std::string version = file_word(device->info.driver_version, 16);
    if (version.empty() || version == word) continue;  // both APIs of one driver package
    word += (word.empty() ? "" : "+") + version;
  }
  return word.empty() ? "simulated" : word;
}

/// The file of a run on this machine, whose name has the time as "20261120T232100Z".
std::filesystem::path in_results(const records::RunLine& run, const std::string& what) {
  std::string time = run.time;
  std::erase_if(time, [](char sign) { return sign == '-' || sign == ':'; });
  std::error_code problem;
  std::filesystem::create_directories("results", problem);
  if (problem) throw UsageError("cannot make the folder results: " + problem.message() + "; choose a file with --out");
  return std::filesystem::path("results") / (file_word(run.host.name, 30) + "-" + what + "-" + time + ".jsonl");
}

}  // namespace

std::string dashed(const std::string& text, std::string_view plain_signs) {
  std::string word;
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || plain_signs.find(letter) != plain_signs.npos) {
      word += letter;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  word.erase(word.find_last_not_of('-') + 1);
  return word;
}

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

std::string random_uuid() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{random(), random(), random(), random()};
  words[1] = (words[1] & 0xFFFF0FFFu) | 0x00004000u;
  words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFFu,
                     words[2] >> 16, words[2] & 0xFFFFu, words[3]);
}

std::filesystem::path default_path(const SelectedDevices& choice, const records::RunLine& run) {
  const auto& [target, apis] = choice.chosen.front();
  const std::string device = choice.chosen.size() > 1 ? std::to_string(choice.chosen.size()) + "-devices"
                             : target.record.type == device::DeviceType::cpu ? "cpu"
                                                                             : file_word(target.record.name, 40);
  return in_results(run, device + "-" + driver_word(target, apis));
}

std::filesystem::path default_watch_path(const std::string& source, const records::RunLine& run) {
  return in_results(run, "watch-" + file_word(source, 40));
}

}  // namespace sonde::session
