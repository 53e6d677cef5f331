#include "device/identity.hpp"

#include <fmt/format.h>

namespace sonde::device {

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

std::string pci_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace sonde::device
