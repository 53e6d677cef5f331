#pragma once

#include "records/lines.hpp"

namespace sonde::session {

/// This machine, from uname, /etc/os-release and /proc.
records::HostRecord describe_host();

/// "2026-11-20T23:21:00Z" and "20261120T232100Z": now, in UTC.
std::string time_now();
std::string compact_time(const std::string& time);

/// A random UUID (RFC 4122, version 4).
std::string random_uuid();

}  // namespace sonde::session
