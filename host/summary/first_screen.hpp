#pragma once

#include "measure/targets.hpp"
#include "records/screen.hpp"
#include "summary/summary.hpp"

namespace sonde::summary {

/// The place of a first screen.
struct FirstScreenLayout {
  int columns = 100;
  int lines = 40;
  bool colour = false;  ///< allows SGR codes
  std::string file;     ///< the record file as the user would type it; empty where there is none
  /// The names of the probes that were asked for, while a run still measures: topics without results are "…".
  std::optional<std::vector<std::string>> awaited = {};
};

/// The answer of a run in one screen, drawn from its records alone: the levels of each device, a line a topic, what
/// could not be measured, and what to look at next. Lines end with a line feed.
std::string first_screen(std::span<const records::Line> lines, const FirstScreenLayout& layout);

/// The same in parts, of each device: every level and topic, however many lines they would take.
std::vector<records::Screen> screens(std::span<const records::Line> lines, const std::string& file);

/// Why something is not in a run's results.
enum class Missing { cannot, needs_hardware, needs_time };

/// The kind of the reason of a skip or an error.
Missing kind_of_reason(std::string_view reason);

// What follows is for the sources of this folder.

/// A screen with fewer columns has no table, and topics stand under their names.
inline constexpr int least_for_a_table = 60;

/// The words in the colour of what must not be missed.
std::string marked_in(bool colour, const std::string& text);

/// Three significant digits, thousands separated: "0.942", "30,300".
std::string significant(double value);
/// "184 ± 39" for a cell of a table, "24.0–150" where the interval is wider than the number.
std::string cell_with_interval(const analysis::Estimate& interval, measure::Quantity quantity);

/// "(0.93–1.12)" in the unit in which the value is shown; empty where it is within its target.
std::string size_interval(const analysis::Bracket& bytes);

/// The level of one API in a row.
struct CellsOfApi {
  const measure::FoundLevel* latency = nullptr;
  const measure::FoundLevel* bandwidth = nullptr;  ///< that within which the level lies; several rows may share it
};

/// The APIs in the order of a table's columns.
inline constexpr std::array apis_of_rows{device::Api::opencl, device::Api::vulkan, device::Api::model,
                                         device::Api::cpu};

/// A level of a device as all APIs tell it.
struct LevelRow {
  std::string name;                             ///< "L1", "level 2", "memory", "beyond"
  std::optional<analysis::Bracket> bytes = {};  ///< the narrowest of the intervals
  bool sizes_differ = false;                    ///< two APIs' intervals of the size do not touch
  std::map<device::Api, CellsOfApi> apis = {};
  std::string sure = {};  ///< "good", "fair", "rough: size, few points"
  bool is_rough = false;
};

/// The levels of a device, the nearest first.
std::vector<LevelRow> level_rows(const records::DeviceRecord& device, const View& view);

/// The rows as a table: the APIs beside each other, or where that is too wide below each other, or a list.
std::string table_of(std::span<const LevelRow> rows, const FirstScreenLayout& layout);

/// The rows as texts, with the cells of the APIs that tell anything.
std::vector<records::ScreenLevel> texts_of(std::span<const LevelRow> rows);

/// The latency levels of an API that a row may be made of: those of ordinary vector loads, or of native code.
std::vector<const measure::FoundLevel*> main_levels(const std::string& device, device::Api api, const View& view);

/// One line below the table. What does not fit into it is left out from the last part on.
struct Topic {
  std::string name;
  std::vector<std::string> parts;
  bool is_marked = false;  ///< in colour
};

/// The device of topics, and what was recorded of it.
struct Shown {
  const records::DeviceRecord& device;
  const View& view;
  std::span<const LevelRow> rows;
  std::size_t apis = 1;  ///< through how many its driver measured something

  [[nodiscard]] const Results& of(device::Api api, std::string_view probe) const {
    return view.of(device.id, api, probe);
  }
};

/// What each API says of one thing.
using Said = std::map<device::Api, std::string>;
/// Adds what is said: once where all of the device's APIs say the same, else each with its API before it.
void add_said(const Shown& shown, const Said& said, Topic& topic);

/// The APIs of drivers; native code has topics of its own.
inline constexpr std::array driver_apis{device::Api::opencl, device::Api::vulkan, device::Api::model};

/// The latencies of a set alone and under load, by pairs of equal rank among those that were found.
struct UnderLoad {
  const measure::Finding* idle = nullptr;
  const measure::Finding* full = nullptr;
};
std::vector<UnderLoad> loads_of(
    const Results& results, const std::function<bool(const Words&)>& passes = [](const Words&) { return true; });

/// "no longer", "1.3 times as long".
std::string longer(const UnderLoad& load);

/// The topics of a device in their order, those of which there is nothing to say left out. Probes that are `awaited`
/// have a topic "…" until then.
std::vector<Topic> topics(const Shown& shown, std::span<const std::string> awaited);

// The single topics; without parts where nothing was found.
Topic other_paths(const Shown& shown);
Topic disagree(const Shown& shown);
Topic native_code(const Shown& shown);
Topic under_load(const Shown& shown);
Topic host_memory(const Shown& shown);
Topic copies(const Shown& shown);

/// The interval of a finding that has a value. One without bounds is taken for known to a quarter: nothing is made of
/// less.
analysis::Estimate estimate_of(const measure::Finding& finding);

/// "12.4 (± 0.6)", "12.4" where the interval is within the target of a rate, "9.1–21 (not steady)" where it has
/// no steady value, "≈ 12.4" where there is no interval.
std::string said_with_interval(const measure::Finding& finding);

/// The first finding of a name, whose words pass.
const measure::Finding* find_finding(
    const Results& results, std::string_view name,
    const std::function<bool(const Words&)>& passes = [](const Words&) { return true; });

/// "a, b and c".
std::string listed(std::span<const std::string> words);

}  // namespace sonde::summary
