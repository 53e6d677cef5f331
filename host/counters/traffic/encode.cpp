#include "counters/traffic/encode.hpp"

#include <fmt/format.h>

namespace sonde::counters {
namespace {

unsigned width(const BitRange& range) { return range.last - range.first + 1; }

std::uint64_t low_bits(unsigned count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

}  // namespace

unsigned bits_of(const Pmu& pmu, std::string_view field) {
  const auto format = pmu.formats.find(field);
  unsigned bits = 0;
  if (format == pmu.formats.end()) return bits;
  for (const BitRange& range : format->second) bits += width(range);
  return bits;
}

std::optional<std::uint64_t> encode(const Pmu& pmu, std::span<const Field> fields, std::string& problem) {
  std::uint64_t word = 0;
  for (const auto& [name, value] : fields) {
    const auto format = pmu.formats.find(name);
    if (format == pmu.formats.end()) {
      problem = fmt::format("{} has no field '{}'", pmu.name, name);
      return std::nullopt;
    }
    std::uint64_t left = value;
    for (const BitRange& range : format->second) {
      word |= (left & low_bits(width(range))) << range.first;
      left = width(range) >= 64 ? 0 : left >> width(range);
    }
    if (left != 0) {
      problem = fmt::format("{:#x} does not fit into the {} bits of {}'s field '{}'", value, bits_of(pmu, name),
                            pmu.name, name);
      return std::nullopt;
    }
  }
  return word;
}

}  // namespace sonde::counters
