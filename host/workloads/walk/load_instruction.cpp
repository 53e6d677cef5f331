#include "workloads/walk/load_instruction.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace sonde::workloads {
namespace {

/// How loads and atomics begin: AMD's RDNA and CDNA assemblers, NVIDIA's, PTX.
constexpr std::array<std::string_view, 25> beginnings{
    "global_load",  "flat_load",  "buffer_load", "tbuffer_load",  "s_load",      "s_buffer_load", "image_load",
    "image_sample", "ds_load",    "ds_read",     "global_atomic", "flat_atomic", "buffer_atomic", "LDG",
    "LDC",          "ULDC",       "LDS",         "TLD",           "ATOMG",       "ld.global",     "ld.const",
    "ld.shared",    "ldu.global", "tex.",        "atom.global"};

constexpr std::string_view between_words = " \t\r\n,;";

bool is_load(std::string_view word) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return word.starts_with(beginning); });
}

}  // namespace

std::string most_frequent_load(std::string_view listing) {
  std::map<std::string_view, int> counts;
  for (std::size_t begin = 0; (begin = listing.find_first_not_of(between_words, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(listing.find_first_of(between_words, begin), listing.size());
    const std::string_view word = listing.substr(begin, end - begin);
    if (is_load(word)) ++counts[word];
    begin = end;
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& counted) { return counted.second; });
  return most == counts.end() ? "" : std::string(most->first);
}

}  // namespace sonde::workloads
