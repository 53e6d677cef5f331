#include "summary/probe_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "summary/latency_curves.hpp"
#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

std::string sentence_case(std::string_view probe) {
  std::string text(probe);
  std::ranges::replace(text, '-', ' ');
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

std::string place_text(const measure::Point& point) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [key, word] : point.series) add(word);
  const bool is_image = point.x.contains("width") && point.x.contains("height");
  if (is_image) add(fmt::format("{:g}x{:g}", point.x.at("width"), point.x.at("height")));
  for (const auto& [name, value] : point.x) {
    if (is_image && (name == "width" || name == "height")) continue;
    add(name == "bytes" ? measure::size_text(value) : fmt::format("{:g} {}", value, name));
  }
  return text;
}

std::string probe_table(std::string_view probe, const Results& results, device::Api api, int columns) {
  Table table({{.head = "what", .left = true}, {.head = "median"}, {.head = "unit", .left = true}});
  for (const auto& [series, samples] : results.samples) {
    for (const measure::Measurement* one : samples) {
      if (one->unit != "cycles") table.add({place_text(one->point), latency_cell(one), one->unit});
    }
  }
  std::string text = table.empty() ? "" : table.text(columns);
  for (const measure::Finding& finding : results.findings) text += wrapped(finding.evidence, columns);
  return text.empty() ? "" : heading(sentence_case(probe), api, "", columns) + text;
}

}  // namespace sonde::summary
