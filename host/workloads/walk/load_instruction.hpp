#pragma once

#include <string>
#include <string_view>

namespace sonde::workloads {

/// The memory instruction that a kernel's listing (AMD's or NVIDIA's assembler, or PTX) has most of, as it stands
/// there: "global_load_b32", "s_load_b32", "LDG.E". In a walk that is its hop: 64 stand in each trip. Empty where none
/// is known.
std::string most_frequent_load(std::string_view listing);

}  // namespace sonde::workloads
