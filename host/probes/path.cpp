#include "probes/path.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace sonde::probes {
namespace {

constexpr std::array<std::pair<Path, std::string_view>, 5> words{{{Path::vector, "vector"},
                                                                   {Path::scalar, "scalar"},
                                                                   {Path::constant, "constant"},
                                                                   {Path::image, "image"},
                                                                   {Path::local, "local"}}};

}  // namespace

std::map<std::string, std::string> series_of(Path path) {
  if (path == Path::atomic) return {{"path", "vector"}, {"memory", "device"}, {"pattern", "read-modify-write"}};
  std::map<std::string, std::string> series{{"memory", "device"}};
  for (const auto& [one, word] : words) {
    if (one == path) series["path"] = word;
  }
  return series;
}

Path path_of(const std::map<std::string, std::string>& series) {
  if (series.contains("pattern")) return Path::atomic;
  const auto path = series.find("path");
  for (const auto& [one, word] : words) {
    if (path != series.end() && path->second == word) return one;
  }
  return Path::vector;
}

}  // namespace sonde::probes
