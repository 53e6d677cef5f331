#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace sonde::device {

/// A device's 16 bytes as 32 lower-case hexadecimal digits, so that both APIs spell it alike.
std::string uuid_text(const std::array<std::uint8_t, 16>& bytes);

/// "0000:c5:00.0", as lspci -D writes it.
std::string pci_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function);

}  // namespace sonde::device
