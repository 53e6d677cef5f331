#pragma once

#include <filesystem>
#include <span>

#include "records/lines.hpp"
#include "session/target.hpp"

namespace sonde::session {

/// results/HOST-DEVICE-DRIVER-TIME.jsonl, which another run may have taken; makes the folder. Throws UsageError.
std::filesystem::path default_path(const std::vector<Target>& targets, std::span<const device::Api> apis,
                                   const records::RunRecord& run);

/// The same for what is watched, HOST-watch-SOURCE-TIME.
std::filesystem::path default_watch_path(const std::string& source, const records::RunRecord& run);

}  // namespace sonde::session
