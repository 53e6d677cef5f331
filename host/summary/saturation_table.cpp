#include "summary/saturation_table.hpp"

#include <fmt/format.h>

#include "probes/bandwidth/scaling.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {

std::string saturation_table(const Results& bandwidth, int columns) {
  std::vector<measure::Measurement> scaled;
  for (const auto& [series, samples] : bandwidth.samples) {
    for (const measure::Measurement* one : samples) {
      if (probes::is_scaling(one->point)) scaled.push_back(*one);
    }
  }
  Table table({{.head = "working set"},
               {.head = "one group, GB/s"},
               {.head = "enough groups"},
               {.head = "of"},
               {.head = "GB/s"}});
  for (const probes::Saturation& one : probes::saturation_of(scaled)) {
    table.add({measure::size_text(one.bytes), three_digits(one.gbps_of_one), fmt::format("{:.0f}", one.groups.value),
               fmt::format("{:.0f}", one.all_groups), three_digits(one.gbps)});
  }
  if (table.empty()) return "";
  return "\n" + wrapped("How many work-groups reading takes: enough get 95 % of the most", columns) +
         table.text(columns);
}

}  // namespace sonde::summary
