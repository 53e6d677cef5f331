#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace sonde::counters {

/// Why an AMD GPU is throttled, from the bytes of amdgpu's `gpu_metrics`.
class GpuMetrics {
 public:
  /// Nothing for a table that does not say, or not in a way that is the same for all chips. Later tables count how
  /// long each throttler was engaged, so that the first of them says nothing yet.
  std::optional<std::set<std::string>> throttle_reasons(std::string_view table);

 private:
  std::string before_;
};

}  // namespace sonde::counters
