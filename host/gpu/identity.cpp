#include "gpu/identity.hpp"

#include <cstdio>

namespace sonde::gpu {

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes) {
  std::string digits;
  for (const std::uint8_t byte : bytes) {
    std::array<char, 3> two{};
    std::snprintf(two.data(), two.size(), "%02x", byte);
    digits += two.data();
  }
  return digits;
}

std::string pci_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text.data();
}

}  // namespace sonde::gpu
