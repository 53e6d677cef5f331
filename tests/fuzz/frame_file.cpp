// Any text as a file that describes a frame is read or refused in one sentence. What is read is written as it was read.

#include "records/input_files.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sonde;
  measure::Frame frame;
  try {
    frame = records::parse_frame({.text = {reinterpret_cast<const char*>(bytes), size}, .where = "a.json"});
  } catch (const records::InvalidFile& refusal) {
    test::require_sentence(refusal.what(), "a.json");
    return 0;
  }
  const std::string again = records::frame_json(frame).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  test::require(records::parse_frame({again, "again"}).passes == frame.passes, "a frame is written as it was read");
  return 0;
}
