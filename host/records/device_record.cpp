#include "records/device_record.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sonde::records {
namespace {

constexpr std::array<std::string_view, 4> type_names{"discrete", "integrated", "cpu", "model"};

}  // namespace

const ApiDevice* through(const DeviceRecord& record, device::Api api) {
  const auto found = record.drivers.find(api);
  return found == record.drivers.end() ? nullptr : &found->second;
}

std::string api_name(device::Api api) {
  constexpr std::array names{"opencl", "vulkan", "model", "cpu"};
  return names[static_cast<std::size_t>(api)];
}

std::string spoken_name(device::Api api) {
  constexpr std::array names{"OpenCL", "Vulkan", "simulated", "native code"};
  return names[static_cast<std::size_t>(api)];
}

std::string type_name(device::DeviceType type) { return std::string(type_names[static_cast<std::size_t>(type)]); }

device::DeviceType type_called(std::string_view word) {
  const auto* const found = std::ranges::find(type_names, word);
  return found == type_names.end() ? device::DeviceType::discrete
                                   : static_cast<device::DeviceType>(found - type_names.begin());
}

std::string visible(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<unsigned char>(text[at]);
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    // The second block of control characters, which some terminals obey too, is two bytes each in UTF-8.
    const bool second_block = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    if (second_block) {
      byte = next;
      ++at;
    }
    if (second_block || (byte < 0x20 && byte != '\n') || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += static_cast<char>(byte);
    }
  }
  return shown;
}

}  // namespace sonde::records
