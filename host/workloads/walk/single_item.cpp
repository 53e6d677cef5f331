#include "workloads/walk/single_item.hpp"

#include <map>

namespace sonde::workloads {
namespace {

/// The beginnings of loads' and atomics' names in AMD's RDNA and CDNA assemblers, NVIDIA's, and PTX.
constexpr std::array<std::string_view, 25> loads{
    "global_load",  "flat_load",  "buffer_load", "tbuffer_load",  "s_load",      "s_buffer_load", "image_load",
    "image_sample", "ds_load",    "ds_read",     "global_atomic", "flat_atomic", "buffer_atomic", "LDG",
    "LDC",          "ULDC",       "LDS",         "TLD",           "ATOMG",       "ld.global",     "ld.const",
    "ld.shared",    "ldu.global", "tex.",        "atom.global"};

}  // namespace

std::uint32_t after_arithmetic(std::uint32_t x, std::uint64_t steps) {
  // The map is squared again and again.
  std::uint32_t power_factor = step_factor;
  std::uint32_t power_addend = step_addend;
  for (; steps != 0; steps >>= 1) {
    if ((steps & 1) != 0) x = x * power_factor + power_addend;
    power_addend = power_addend * power_factor + power_addend;
    power_factor *= power_factor;
  }
  return x;
}

std::optional<std::string> chain_proof_failure(std::array<std::uint32_t, 2> found,
                                               std::array<std::uint32_t, 2> expected) {
  if (found == expected) return std::nullopt;
  if (found[1] != expected[1]) {
    return "the device left its loop after " + std::to_string(found[1]) + " of " + std::to_string(expected[1]) +
           " trips, so its time says nothing; please report the driver";
  }
  return "the device's chain ended at " + std::to_string(found[0]) + " instead of " + std::to_string(expected[0]) +
         ", so it did not do the work that was timed; please report the driver";
}

std::string most_frequent(std::string_view listing, std::span<const std::string_view> beginnings) {
  constexpr std::string_view between_words = " \t\r\n,;";
  std::map<std::string_view, int> counts;
  for (std::size_t begin = 0; (begin = listing.find_first_not_of(between_words, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(listing.find_first_of(between_words, begin), listing.size());
    const std::string_view word = listing.substr(begin, end - begin);
    if (std::ranges::any_of(beginnings, [&](std::string_view one) { return word.starts_with(one); })) ++counts[word];
    begin = end;
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& counted) { return counted.second; });
  return most == counts.end() ? "" : std::string(most->first);
}

std::string most_frequent_load(std::string_view listing) { return most_frequent(listing, loads); }

}  // namespace sonde::workloads
