#pragma once

#include <string>
#include <vector>

namespace sonde::records {

/// What one API tells of a level, with its interval where it is outside its target; empty where it tells nothing.
struct ScreenCell {
  std::string api;
  std::string latency_ns;
  std::string read_gbps;
};

struct ScreenLevel {
  std::string name;
  std::string size;      ///< "1.02 MiB"; empty for what has none
  std::string interval;  ///< "(0.93–1.12)"; empty within its target
  std::vector<ScreenCell> cells;
  std::string sure;
};

struct ScreenTopic {
  std::string name;
  std::vector<std::string> parts;
  bool marked = false;  ///< must not be missed
};

/// The first screen of one device in its parts, as `sonde show --json` prints it. No record file has it.
struct Screen {
  static constexpr const char* record = "screen";
  std::string file;
  std::string device;
  std::string heading;
  std::vector<ScreenLevel> levels;
  std::vector<ScreenTopic> topics;
};

/// The record without an end of line.
std::string screen_json(const Screen& screen);

}  // namespace sonde::records
