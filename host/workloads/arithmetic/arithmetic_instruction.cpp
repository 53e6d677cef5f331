#include "workloads/arithmetic/arithmetic_instruction.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace sonde::workloads {
namespace {

/// How arithmetic on numbers begins; moves, conversions and what computes addresses do not.
constexpr std::array<std::string_view, 33> arithmetic_beginnings{
    "v_fma", "v_dual_fma", "v_pk_", "v_mad",  "v_mac", "v_mul", "v_dual_mul", "v_add", "v_dual_add",
    "v_sub", "v_dual_sub", "v_rcp", "v_sqrt", "v_rsq", "v_exp", "v_sin",      "v_dot", "FFMA",
    "FADD",  "FMUL",       "DFMA",  "DADD",   "DMUL",  "HFMA2", "HADD2",      "HMUL2", "IMAD",
    "IADD3", "MUFU",       "fma.",  "mad.",   "add.",  "mul."};

constexpr std::string_view between_operands = " \t\r\n,;";

}  // namespace

std::string most_frequent_arithmetic(std::string_view listing) {
  std::map<std::string_view, int> counts;
  for (std::size_t begin = 0; (begin = listing.find_first_not_of(between_operands, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(listing.find_first_of(between_operands, begin), listing.size());
    const std::string_view word = listing.substr(begin, end - begin);
    const bool counts_it = std::ranges::any_of(arithmetic_beginnings,
                                               [&](std::string_view beginning) { return word.starts_with(beginning); });
    if (counts_it) ++counts[word];
    begin = end;
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& counted) { return counted.second; });
  return most == counts.end() ? "" : std::string(most->first);
}

}  // namespace sonde::workloads
