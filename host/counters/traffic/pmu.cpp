#include "counters/traffic/sources.hpp"

#include <fmt/format.h>

#include <charconv>

#include "counters/state/sysfs.hpp"

namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::optional<unsigned> whole(std::string_view text) {
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (text.empty() || rest != end || problem != std::errc{}) return std::nullopt;
  return number;
}

/// Parses "0-7,32"; nothing for another syntax or a number above `most`.
std::optional<std::vector<BitRange>> parse_ranges(std::string_view text, unsigned most) {
  std::vector<BitRange> ranges;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const std::size_t dash = one.find('-');
    const auto first = whole(one.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole(one.substr(dash + 1));
    if (!first || !last || *first > *last || *last > most) return std::nullopt;
    ranges.push_back({*first, *last});
    if (comma == std::string_view::npos) return ranges;
    text.remove_prefix(comma + 1);
  }
}

std::optional<Pmu> read_pmu(const fs::path& folder) {
  const auto type = read_text(folder / "type");
  const auto number = type ? whole(trimmed(*type)) : std::nullopt;
  if (!number) return std::nullopt;
  Pmu pmu{.name = folder.filename().string(), .type = *number};
  if (const auto mask = read_text(folder / "cpumask")) pmu.cpus = parse_cpus(*mask).value_or(std::vector<int>{});
  if (pmu.cpus.empty()) pmu.cpus = {0};  // a PMU of the cores, which every CPU has
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(folder / "format", ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    const auto text = read_text(entry->path());
    const auto format = text ? parse_format(*text) : std::nullopt;
    if (format) pmu.formats[entry->path().filename().string()] = *format;
  }
  return pmu;
}

fs::path pmu_folder(const fs::path& root) { return root / "sys/bus/event_source/devices"; }

unsigned width(const BitRange& range) { return range.last - range.first + 1; }

std::uint64_t low_bits(unsigned count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

}  // namespace

std::optional<Format> parse_format(std::string_view text) {
  constexpr std::string_view word = "config:";
  text = trimmed(text);
  if (!text.starts_with(word)) return std::nullopt;
  return parse_ranges(text.substr(word.size()), 63);
}

std::optional<std::vector<int>> parse_cpus(std::string_view text) {
  constexpr unsigned most_cpus = 1 << 16;
  const auto ranges = parse_ranges(trimmed(text), most_cpus);
  if (!ranges) return std::nullopt;
  std::vector<int> cpus;
  for (const BitRange& range : *ranges) {
    for (unsigned cpu = range.first; cpu <= range.last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::optional<Pmu> find_pmu(const fs::path& root, const std::string& name) { return read_pmu(pmu_folder(root) / name); }

std::vector<Pmu> find_pmus(const fs::path& root, const std::string& name) {
  std::vector<Pmu> found;
  std::string alone = name;
  while (alone.ends_with('_')) alone.pop_back();
  if (auto pmu = find_pmu(root, alone)) found.push_back(*std::move(pmu));
  for (const fs::path& folder : numbered(pmu_folder(root), name)) {
    if (auto pmu = read_pmu(folder)) found.push_back(*std::move(pmu));
  }
  return found;
}

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
