#include "workloads/walk/path.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sonde::workloads {
namespace {

constexpr std::array<std::pair<Path, std::string_view>, 6> names{{{Path::vector, "vector"},
                                                                  {Path::scalar, "scalar"},
                                                                  {Path::constant, "constant"},
                                                                  {Path::image, "image"},
                                                                  {Path::local, "local"},
                                                                  {Path::atomic, "atomic"}}};

}  // namespace

std::map<std::string, std::string> series_of(Path path) {
  if (path == Path::atomic) return {{"path", "vector"}, {"memory", "device"}, {"pattern", "read-modify-write"}};
  return {{"path", std::string(name_of(path))}, {"memory", "device"}};
}

std::map<std::string, std::string> series_awake() {
  std::map<std::string, std::string> series = series_of(Path::vector);
  series["fabric"] = "loaded";
  return series;
}

std::map<std::string, std::string> hierarchy_series(std::map<std::string, std::string> series) {
  for (const char* const key : {"order", "stride", "fabric"}) series.erase(key);
  return series;
}

Fabric fabric_of(const std::map<std::string, std::string>& series) {
  const auto word = series.find("fabric");
  return word != series.end() && word->second == "loaded" ? Fabric::loaded : Fabric::idle;
}

std::string_view name_of(Path path) {
  return std::ranges::find(names, path, &std::pair<Path, std::string_view>::first)->second;
}

Path path_of(const std::map<std::string, std::string>& series) {
  if (series.contains("pattern")) return Path::atomic;
  const auto word = series.find("path");
  if (word == series.end()) return Path::vector;
  const auto named =
      std::ranges::find(names, std::string_view(word->second), &std::pair<Path, std::string_view>::second);
  return named == names.end() ? Path::vector : named->first;
}

}  // namespace sonde::workloads
