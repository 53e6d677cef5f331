// Any words after --device, one a line, choose devices that are there, each once, or are refused in one sentence.

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "require.hpp"
#include "session/selection.hpp"

namespace {

using sonde::device::DeviceType;

/// 0: a discrete GPU, 1: an integrated one, 2: the CPU.
std::vector<sonde::records::DeviceRecord> machine() {
  return {{.id = "gpu-0000:01:00.0",
           .name = "NVIDIA GeForce RTX 4090",
           .uuid = "00112233445566778899aabbccddeeff",
           .pci = "0000:01:00.0"},
          {.id = "gpu-0000:c5:00.0", .name = "AMD Radeon 8060S", .type = DeviceType::integrated, .pci = "0000:c5:00.0"},
          {.id = "cpu", .name = "AMD EPYC 9554", .type = DeviceType::cpu}};
}

}  // namespace

// Looking for the machine's own devices, which `choose` does, is no part of this test.
namespace sonde::session {
FoundDevices discover_devices(std::chrono::milliseconds) { return {}; }
void warn_of_problems(const FoundDevices&) {}
}  // namespace sonde::session

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sonde;
  // An argument ends at its first zero byte.
  std::istringstream text(std::string(bytes, std::find(bytes, bytes + size, 0)));
  std::vector<std::string> selectors;
  for (std::string word; std::getline(text, word);) selectors.push_back(word);
  try {
    std::set<std::string> ids;
    for (const session::TargetDevice& target : session::select(machine(), selectors)) {
      test::require(ids.insert(target.record.id).second, "every device is chosen once", target.record.id);
      test::require(target.record.type == device::DeviceType::model || target.model_text.empty(),
                    "only models have a model's text");
    }
    test::require(!ids.empty(), "something is chosen where nothing is refused");
  } catch (const session::UsageError& refusal) {
    const std::string_view said = refusal.what();
    test::require(said.size() <= size + 240, "a refusal is short beside the words that it repeats", said);
  }
  return 0;
}
