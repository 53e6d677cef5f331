#include "counters/state/amdgpu_caches.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>

#include "counters/state/sysfs.hpp"

namespace sonde::counters {
namespace {

/// Lines of a name and a number.
std::map<std::string, std::uint64_t> properties(const std::filesystem::path& file) {
  std::map<std::string, std::uint64_t> all;
  std::istringstream lines(read_text(file).value_or(""));
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value) all[name] = value;
  return all;
}

/// As the kernel packs it: bus, then five bits of device and three of function.
struct Place {
  std::uint64_t domain = 0;
  std::uint64_t location = 0;
};

std::optional<Place> place_of(const std::string& pci) {
  std::uint64_t parts[4] = {};
  const char* at = pci.data();
  const char* const end = at + pci.size();
  for (std::uint64_t& part : parts) {
    const auto [rest, error] = std::from_chars(at, end, part, 16);
    if (error != std::errc()) return std::nullopt;
    at = rest == end ? rest : rest + 1;
  }
  return Place{.domain = parts[0], .location = parts[1] << 8 | parts[2] << 3 | parts[3]};
}

}  // namespace

std::map<int, std::uint64_t> amdgpu_caches(const std::filesystem::path& root, const std::string& pci) {
  constexpr std::uint64_t kib = 1024;
  const std::optional<Place> place = place_of(pci);
  if (!place) return {};
  std::map<int, std::uint64_t> by_level;
  const std::filesystem::path nodes = root / "sys/class/kfd/kfd/topology/nodes";
  for (const std::filesystem::path& node : numbered(nodes, "")) {
    auto facts = properties(node / "properties");
    if (facts["simd_count"] == 0 || facts["domain"] != place->domain || facts["location_id"] != place->location) {
      continue;
    }
    for (const std::filesystem::path& cache : numbered(node / "caches", "")) {
      auto stated = properties(cache / "properties");
      std::uint64_t& bytes = by_level[static_cast<int>(stated["level"])];
      bytes = std::max(bytes, stated["size"] * kib);
    }
  }
  std::erase_if(by_level, [](const auto& entry) { return entry.second == 0; });
  return by_level;
}

}  // namespace sonde::counters
