#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "counters/traffic/pmu.hpp"

namespace sonde::counters {

struct Field {
  std::string_view name;
  std::uint64_t value = 0;
};

/// The configuration word of an event, with each field's bits where the PMU's format has them; nothing, and why in
/// `problem`, where the PMU has no such field or the value needs more bits than it has.
std::optional<std::uint64_t> encode(const Pmu& pmu, std::span<const Field> fields, std::string& problem);

/// How many bits a PMU has for a field; 0 where it has none of that name.
unsigned bits_of(const Pmu& pmu, std::string_view field);

}  // namespace sonde::counters
