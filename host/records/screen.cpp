#include "records/screen.hpp"

#include "records/description.hpp"

namespace sonde::records {

void fields(auto& visit, Of<ScreenCell> auto& cell) {
  visit.field("api", cell.api);
  visit.if_any("latency_ns", cell.latency_ns);
  visit.if_any("read_gbps", cell.read_gbps);
}

void fields(auto& visit, Of<ScreenLevel> auto& level) {
  visit.field("name", level.name);
  visit.if_any("size", level.size);
  visit.if_any("interval", level.interval);
  visit.field("cells", level.cells);
  visit.field("sure", level.sure);
}

void fields(auto& visit, Of<ScreenTopic> auto& topic) {
  visit.field("name", topic.name);
  visit.field("parts", topic.parts);
  visit.field("marked", topic.marked);
}

void fields(auto& visit, Of<Screen> auto& screen) {
  visit.field("file", screen.file);
  visit.field("device", screen.device);
  visit.field("heading", screen.heading);
  visit.field("levels", screen.levels);
  visit.field("topics", screen.topics);
}

std::string screen_json(const Screen& screen) {
  nlohmann::ordered_json json{{"record", Screen::record}};
  JsonWriter writer(json);
  fields(writer, screen);
  return dumped(json);
}

}  // namespace sonde::records
