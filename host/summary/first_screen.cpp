#include "summary/first_screen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "summary/layout.hpp"

namespace sonde::summary {
namespace {

using records::DeviceRecord;

constexpr std::size_t width_of_names = 14;

/// What the records say of the run itself.
struct RunFacts {
  const records::RunLine* run = nullptr;
  const records::EndLine* end = nullptr;
  std::vector<const DeviceRecord*> devices;
};

RunFacts facts_of(std::span<const records::Line> lines) {
  RunFacts facts;
  for (const records::Line& line : lines) {
    if (const auto* run = std::get_if<records::RunLine>(&line)) facts.run = run;
    if (const auto* end = std::get_if<records::EndLine>(&line)) facts.end = end;
    if (const auto* device = std::get_if<DeviceRecord>(&line)) facts.devices.push_back(device);
  }
  return facts;
}

/// "3.1" of "3.1+debian", "22.3.6" of "Mesa 22.3.6 (LLVM 15.0.6)".
std::string short_version(const std::string& version) {
  const std::size_t begin = std::min(version.find_first_of("0123456789"), version.size());
  return version.substr(begin, version.find_first_of("+ (", begin) - begin);
}

bool is_used(const DeviceRecord& device, device::Api api, const View& view) {
  for (const char* probe : {"latency", "bandwidth", "copy", "zero-copy", "host-memory", "loaded-latency", "contention",
                            "hit-rate", "compute", "frames"}) {
    if (!view.of(device.id, api, probe).samples.empty()) return true;
  }
  return false;
}

/// "driver 580.159.04 (OpenCL, Vulkan)", of a CPU "PoCL 3.1, llvmpipe 22.3.6": of the drivers that measured something,
/// or all before anything is measured.
std::string drivers_of(const DeviceRecord& device, const View& view) {
  std::vector<std::pair<std::string, std::string>> texts;  // a driver, and its APIs
  const bool is_cpu = device.type == device::DeviceType::cpu;
  for (const auto& [api, driver] : device.drivers) {
    const bool is_shown = view.of(device.id).points.empty() || is_used(device, api, view);
    if (!is_shown || driver.info.driver_version.empty()) continue;
    std::string version = short_version(driver.info.driver_version);
    if (is_cpu) version = (driver.info.driver.empty() ? driver.info.platform : driver.info.driver) + " " + version;
    const auto same = std::ranges::find(texts, version, &std::pair<std::string, std::string>::first);
    if (same != texts.end()) {
      same->second += ", " + records::spoken_name(api);
    } else {
      texts.emplace_back(version, records::spoken_name(api));
    }
  }
  std::string text;
  for (const auto& [version, apis] : texts)
    text += (text.empty() ? "" : ", ") + version + (is_cpu ? "" : " (" + apis + ")");
  return text.empty() || is_cpu ? text : "driver " + text;
}

/// "Intel Xeon" of "Intel(R) Xeon(R) Processor".
std::string without_marks(std::string name) {
  for (const std::string_view mark : {"(R)", "(TM)", " Processor"}) {
    for (std::size_t at = name.find(mark); at != name.npos; at = name.find(mark)) name.erase(at, mark.size());
  }
  return name;
}

/// Whether a run was to find a GPU by itself.
bool looked_for_a_gpu(const RunFacts& facts) {
  return facts.run != nullptr && !facts.run->command.empty() &&
         std::ranges::none_of(facts.run->command, [](const std::string& word) { return word.starts_with("--device"); });
}

/// "60 s", "interrupted after 12 s"; a file without an end is of a run that was killed.
std::string time_of(const RunFacts& facts, bool underway) {
  if (underway) return "";
  if (facts.end == nullptr) return "unfinished";
  const std::string seconds = fmt::format("{:.0f} s", facts.end->seconds);
  return facts.end->status == "complete" ? seconds : facts.end->status + " after " + seconds;
}

/// What the device is, by which drivers it was measured, and for how long; the time is left out while a run is
/// underway.
std::string heading_of(const DeviceRecord& device, const RunFacts& facts, const View& view, bool underway) {
  const bool is_first = &device == facts.devices.front();
  const bool is_cpu = device.type == device::DeviceType::cpu;
  const records::HostRecord host = facts.run != nullptr ? facts.run->host : records::HostRecord{};
  const std::string cores =
      host.cores == 0 ? "" : fmt::format(", {} {}", host.cores, host.cores == 1 ? "core" : "cores");
  const bool is_only_one = std::ranges::count(facts.devices, device.name, &DeviceRecord::name) < 2;
  std::vector<std::string> parts{without_marks(records::name_of(device, is_only_one))};
  std::string& name = parts.front();
  if (device.type == device::DeviceType::model) name += ", simulated";
  if (is_cpu && is_first && looked_for_a_gpu(facts)) name += " (the CPU: no GPU found)";
  if (is_cpu) name += cores + (host.virtualised.value_or(false) ? ", virtual machine" : "");
  if (const std::string drivers = drivers_of(device, view); !drivers.empty()) parts.push_back(drivers);
  if (!is_cpu && device.type != device::DeviceType::model && !host.cpu.empty())
    parts.push_back("host: " + without_marks(host.cpu) + cores);
  const std::string time = time_of(facts, underway);
  if (is_first && !time.empty()) parts.push_back(time);
  return fmt::format("{}", fmt::join(parts, " · "));
}

Shown shown_of(const DeviceRecord& device, const View& view, std::span<const LevelRow> rows) {
  Shown shown{device, view, rows, 0};
  for (const device::Api api : driver_apis) shown.apis += is_used(device, api, view) ? 1 : 0;
  return shown;
}

/// A topic in at most so many lines: parts that do not fit are left out.
std::string topic_text(const Topic& topic, const FirstScreenLayout& layout, int most_lines) {
  const bool is_list = layout.columns < least_for_a_table;
  const std::size_t indent = is_list ? 2 : width_of_names + 2;
  const auto text_of = [&](std::span<const std::string> parts) {
    std::string text = wrapped(fmt::format("{}", fmt::join(parts, " · ")), layout.columns, indent);
    if (!is_list) {
      // The hanging indent of a paragraph would be one more column here.
      for (std::size_t at = text.find("\n  "); at != text.npos; at = text.find("\n  ", at + 1)) text.erase(at + 1, 2);
      const std::string name = marked_in(layout.colour && topic.is_marked, topic.name);
      return name + std::string(indent - width_of(topic.name), ' ') + text.substr(indent);
    }
    return topic.name + "\n" + text;
  };
  std::span<const std::string> parts = topic.parts;
  std::string text = text_of(parts);
  const auto is_too_long = [&] { return std::ranges::count(text, '\n') > most_lines + (is_list ? 1 : 0); };
  while (parts.size() > 1 && is_too_long()) {
    parts = parts.first(parts.size() - 1);
    text = text_of(parts);
  }
  // A single part ends with "…" where a list in it is cut.
  std::string part = parts.front();
  for (std::size_t end = part.rfind(", "); end != part.npos && is_too_long(); end = part.rfind(", ")) {
    part.resize(end);
    text = text_of(std::array{part + ", …"});
  }
  return text;
}

std::string block(const DeviceRecord& device, const RunFacts& facts, const View& view, const FirstScreenLayout& layout,
                  int topic_lines, std::ptrdiff_t& spare_lines) {
  const std::vector<LevelRow> rows = level_rows(device, view);
  const std::vector<std::string> awaited = layout.awaited.value_or(std::vector<std::string>{});
  std::string text = wrapped(heading_of(device, facts, view, layout.awaited.has_value()), layout.columns, 0);
  if (!rows.empty()) text += "\n" + table_of(rows, layout);
  if (rows.empty() && std::ranges::find(awaited, "latency") != awaited.end()) text += "\nlevels          …\n";
  std::string below;
  for (const Topic& topic : topics(shown_of(device, view, rows), awaited)) {
    std::string one = topic_text(topic, layout, topic_lines);
    std::string longer = topic_text(topic, layout, topic_lines + 1);
    const std::ptrdiff_t more = std::ranges::count(longer, '\n') - std::ranges::count(one, '\n');
    if (more <= spare_lines) {
      spare_lines -= more;
      one = std::move(longer);
    }
    below += one;
  }
  const std::size_t points = view.of(device.id).points.size();
  if (rows.empty() && below.empty() && !layout.awaited)
    below = points == 0 ? "Nothing was measured.\n" : fmt::format("Nothing is concluded from its {} points.\n", points);
  return below.empty() ? text : text + "\n" + below;
}

/// The lines that say where the rest is.
std::string footer(const FirstScreenLayout& layout) {
  if (layout.file.empty()) return "";
  const std::string show = fmt::format("sonde show {} -v (all tables)", layout.file);
  const std::string report = fmt::format("sonde report {} -o page.html", layout.file);
  const std::string one = fmt::format("{} · next: {} · {}", layout.file, show, report);
  if (width_of(one) <= static_cast<std::size_t>(layout.columns)) return "\n" + one + "\n";
  return "\n" + wrapped(layout.file, layout.columns, 0) + wrapped("next: " + show, layout.columns, 0) +
         wrapped("      " + report, layout.columns, 6);
}

}  // namespace

std::string marked_in(bool colour, const std::string& text) { return colour ? "\x1b[33m" + text + "\x1b[0m" : text; }

std::string first_screen(std::span<const records::Line> lines, const FirstScreenLayout& layout) {
  const RunFacts facts = facts_of(lines);
  const View view(lines);
  const std::string last = footer(layout);
  // A narrow terminal is scrolled anyway.
  constexpr int usual_columns = 100;
  const std::ptrdiff_t most = layout.lines * usual_columns / std::clamp(layout.columns, 1, usual_columns);
  const auto text_with = [&](int topic_lines, std::ptrdiff_t spare_lines) {
    std::string text;
    for (const DeviceRecord* device : facts.devices)
      text += (text.empty() ? "" : "\n") + block(*device, facts, view, layout, topic_lines, spare_lines);
    return text + last;
  };
  // Topics are cut to fewer lines where a screen would be too long, and get back what is left.
  std::string text;
  for (int topic_lines = 3; topic_lines > 0; --topic_lines) {
    text = text_with(topic_lines, 0);
    const std::ptrdiff_t spare = most - std::ranges::count(text, '\n');
    if (spare >= 0) return text_with(topic_lines, spare);
  }
  return text;
}

std::vector<records::Screen> screens(std::span<const records::Line> lines, const std::string& file) {
  const RunFacts facts = facts_of(lines);
  const View view(lines);
  std::vector<records::Screen> found;
  for (const DeviceRecord* device : facts.devices) {
    const std::vector<LevelRow> rows = level_rows(*device, view);
    records::Screen screen{file, device->id, heading_of(*device, facts, view, false), texts_of(rows), {}};
    for (Topic& topic : topics(shown_of(*device, view, rows), {}))
      screen.topics.push_back({std::move(topic.name), std::move(topic.parts), topic.is_marked});
    found.push_back(std::move(screen));
  }
  return found;
}

}  // namespace sonde::summary
