#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "records/lines.hpp"
#include "records/record_file.hpp"

namespace sonde::commands {

/// The first line of what a command records now.
records::RunRecord run_record_of(const std::vector<std::string>& command, std::uint64_t seed,
                                 const std::string& effort);

/// The file `out`, or where that is empty the default, numbered where its name is taken. It has its first line from the
/// beginning: whenever the command is killed, what it leaves is a record file. Throws UsageError.
records::RecordFile new_record_file(const std::string& out, const std::function<std::filesystem::path()>& default_path,
                                    const records::RunRecord& record);

}  // namespace sonde::commands
