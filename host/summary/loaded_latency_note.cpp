#include "summary/loaded_latency_note.hpp"

#include "summary/layout.hpp"

namespace sonde::summary {

std::string loaded_latency_note(const Results& loaded_latency, device::Api api, int columns) {
  if (loaded_latency.findings.empty()) return "";
  std::string text = heading("Latency under load", api, "", columns);
  for (const measure::Finding& finding : loaded_latency.findings) text += wrapped(finding.evidence, columns);
  return text;
}

}  // namespace sonde::summary
