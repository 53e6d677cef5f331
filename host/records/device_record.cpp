#include "records/device_record.hpp"

#include "records/lines.hpp"

namespace sonde::records {

const ApiDevice* through(const DeviceRecord& record, device::Api api) {
  const auto& device = api == device::Api::opencl   ? record.opencl
                       : api == device::Api::vulkan ? record.vulkan
                       : api == device::Api::cpu    ? record.cpu
                                                    : record.model;
  return device ? &*device : nullptr;
}

std::string spoken_name(device::Api api) {
  switch (api) {
    case device::Api::opencl: return "OpenCL";
    case device::Api::vulkan: return "Vulkan";
    case device::Api::cpu: return "native code";
    case device::Api::model: break;
  }
  return "simulated";
}

std::string api_prefix(const std::string& record_name) {
  for (const device::Api real : {device::Api::opencl, device::Api::vulkan}) {
    if (record_name == api_name(real)) return spoken_name(real) + ": ";
  }
  return "";
}

std::string visible(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
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
      shown += {'\\', 'x', digits[byte >> 4u], digits[byte & 0xFu]};
    } else {
      shown += static_cast<char>(byte);
    }
  }
  return shown;
}

}  // namespace sonde::records
