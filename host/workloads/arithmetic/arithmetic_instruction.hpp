#pragma once

#include <string>
#include <string_view>

namespace sonde::workloads {

/// The instruction of arithmetic that is most frequent in a driver's listing of a kernel: AMD's and NVIDIA's
/// assemblers, PTX. Empty where the listing has none.
std::string most_frequent_arithmetic(std::string_view listing);

}  // namespace sonde::workloads
