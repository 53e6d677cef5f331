#pragma once

#include <cstdint>
#include <set>

namespace sonde::cpu {

/// Asks that whole pages of a range that nobody has written yet come from one NUMA node, by the system's number, while
/// that has some left: where it has none another gives them, as else the system would end the process. False where the
/// system refused.
bool prefer_node(void* begin, std::uint64_t bytes, int node);

/// The nodes that the pages of a range stand on; none where the system does not say. Asks the kernel, page by page.
std::set<int> nodes_of(const void* begin, std::uint64_t bytes);

}  // namespace sonde::cpu
