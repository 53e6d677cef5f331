#pragma once

#include <filesystem>

#include "records/lines.hpp"
#include "session/selection.hpp"

// The beginning of a record: the machine, the moment, and the file's name.
namespace sonde::session {

/// This machine, from uname, /etc/os-release and /proc.
records::HostRecord describe_host();

/// The present moment in UTC: "2026-11-20T23:21:00Z".
std::string time_now();

/// The text with dashes for all signs but letters, digits and `plain_signs`; none at its ends, nor two in a row.
std::string dashed(const std::string& text, std::string_view plain_signs);

/// A random UUID (RFC 4122, version 4).
std::string random_uuid();

/// results/HOST-DEVICE-DRIVER-TIME.jsonl, which another run may have taken; makes the folder. Throws UsageError.
std::filesystem::path default_path(const SelectedDevices& choice, const records::RunLine& run);

/// The file of a watch, results/HOST-watch-SOURCE-TIME.jsonl; otherwise like `default_path`.
std::filesystem::path default_watch_path(const std::string& source, const records::RunLine& run);

}  // namespace sonde::session
