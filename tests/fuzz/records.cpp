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
#include "require.hpp"

namespace sonde::records {
namespace {

using test::require;

void check(const SampleLine& sample) {
  const auto& values = sample.measurement.values;
  require(!values.empty(), "a sample has a value");
  require(std::ranges::all_of(values, [](double value) { return std::isfinite(value); }), "values are finite");
  require(sample.measurement.point.x.bytes.value_or(1) >= 1, "a working set has a byte");
}

void check(const Line& line) {
  if (const auto* sample = std::get_if<SampleLine>(&line)) check(*sample);
  const std::string text = text_of(line);
  require(text_of(read_line(text)) == text, "a line that was written is read as it was", text);
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
