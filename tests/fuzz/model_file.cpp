// Any text as a model file is read or refused in one sentence. What is read can be opened as a device.

#include <cstdint>
#include <string>

#include "device/model/model.hpp"
#include "records/input_files.hpp"
#include "require.hpp"

namespace {

/// Its caches are arrays of the host's: larger ones would only tell of this machine's memory.
bool is_small(const sonde::device::model::Description& model) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  for (const auto& level : model.levels) {
    if (level.bytes > most_bytes) return false;
  }
  for (const auto& table : model.translation) {
    if (table.entries > most_bytes) return false;
  }
  return model.levels.size() < 10 && model.translation.size() < 10;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sonde;
  device::model::Description model;
  try {
    model = records::parse_model({.text = {reinterpret_cast<const char*>(bytes), size}, .where = "a.json"});
  } catch (const records::InvalidFile& refusal) {
    test::require_sentence(refusal.what(), "a.json");
    return 0;
  }
  test::require(device::model::describe(model).name == model.name, "a device has its model's name");
  if (is_small(model)) (void)device::model::open(model)->info();
  return 0;
}
