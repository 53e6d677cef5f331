#include "session/result_path.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "session/host.hpp"
#include "session/usage_error.hpp"

namespace sonde::session {
namespace {

/// A part of a file name: what a shell or a file system could mind becomes a dash.
std::string file_word(const std::string& text, std::size_t longest) {
  std::string word;
  for (const char letter : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '_';
    if (plain) {
      word += letter;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  word.resize(std::min(word.size(), longest));
  while (!word.empty() && word.back() == '-') word.pop_back();
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

std::filesystem::path in_results(const std::string& stem) {
  std::error_code problem;
  std::filesystem::create_directories("results", problem);
  if (problem) throw UsageError("cannot make the folder results: " + problem.message() + "; choose a file with --out");
  return std::filesystem::path("results") / (stem + ".jsonl");
}

}  // namespace

std::filesystem::path default_path(const std::vector<Target>& targets, std::span<const device::Api> apis,
                                   const records::RunRecord& run) {
  const bool cpu = targets.front().record.type == device::DeviceType::cpu;
  const std::string device = targets.size() > 1 ? std::to_string(targets.size()) + "-devices"
                             : cpu              ? "cpu"
                                                : file_word(targets.front().record.name, 40);
  return in_results(file_word(run.host.name, 30) + "-" + device + "-" + driver_word(targets.front(), apis) + "-" +
                    compact_time(run.time));
}

std::filesystem::path default_watch_path(const std::string& source, const records::RunRecord& run) {
  return in_results(file_word(run.host.name, 30) + "-watch-" + file_word(source, 40) + "-" + compact_time(run.time));
}

}  // namespace sonde::session
