#pragma once

#include <string>
#include <vector>

#include "session/devices.hpp"
#include "session/target.hpp"

namespace sonde::session {

/// The devices that the selectors name (index, part of the name, UUID, PCI address, cpu, gpu, all, model:NAME,
/// model:FILE.json), each once; without selectors every GPU, or the CPU where there is none. Throws UsageError.
std::vector<Target> select(const std::vector<records::DeviceRecord>& devices,
                           const std::vector<std::string>& selectors);

}  // namespace sonde::session
