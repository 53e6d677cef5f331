// Any text as a record file is read or refused in one sentence. What is read keeps what the program behind the reader
// relies on, and is the same once it is written and read again.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "records/input_files.hpp"
#include "records/lines.hpp"
#include "records/reader.hpp"
#include "require.hpp"

namespace sonde::records {
namespace {

using test::require;

std::string written(const SampleLine& line) { return sample_line(line.origin, line.measurement, 0); }
std::string written(const LevelLine& line) { return level_line(line.origin, line.level); }
std::string written(const FindingLine& line) {
  const measure::FindingKind kind{.name = line.name};
  measure::Finding finding = line.finding;
  finding.kind = &kind;
  return finding_line(line.origin, finding);
}
std::string written(const SkipLine& line) {
  return skip_line(line.origin, line.point ? &*line.point : nullptr, line.reason);
}
std::string written(const ErrorLine& line) {
  return error_line(line.origin, line.point ? &*line.point : nullptr, line.reason);
}
std::string written(const CounterLine& line) { return counter_line(line.counter); }
template <typename Other>
std::string written(const Other&) {
  return "";
}

void check(const SampleLine& sample) {
  const auto& values = sample.measurement.values;
  require(!values.empty(), "a sample has a value");
  require(std::ranges::all_of(values, [](double value) { return std::isfinite(value); }), "values are finite");
  require(sample.measurement.point.x.bytes.value_or(1) >= 1, "a working set has a byte");
}

void check(const Line& line) {
  if (const auto* sample = std::get_if<SampleLine>(&line)) check(*sample);
  const auto text_of = [](const Line& one) { return std::visit([](const auto& kind) { return written(kind); }, one); };
  const std::string text = text_of(line);
  if (!text.empty()) require(text_of(read_line(text)) == text, "a line that was written is read as it was", text);
}

}  // namespace
}  // namespace sonde::records

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sonde;
  std::string note;
  try {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    for (const records::Line& line : records::read_records(text, "a.jsonl", note)) records::check(line);
    if (!note.empty()) test::require_sentence(note, "a.jsonl");
  } catch (const records::InvalidFile& refusal) {
    test::require_sentence(refusal.what(), "a.jsonl");
  }
  return 0;
}
