#include "records/lines.hpp"

#include "records/description.hpp"

namespace sonde::records {

void fields(auto& visit, Of<DriverChoice> auto& driver) {
  visit.field("driver", driver.file);
  visit.field("layers", driver.layers);
}

void fields(auto& visit, Of<ListTask> auto& task) {
  visit.field("list", task.api);
  fields(visit, task.driver);
}

void fields(auto& visit, Of<MeasureTask> auto& task) {
  visit.field("measure", task.api);
  fields(visit, task.driver);
  visit.field("device", task.device);
  visit.field("index", task.index);
  visit.field("pci", task.pci);
  visit.field("model", task.model);
  visit.field("noise", task.noise);
  visit.field("look", task.request.look);
  visit.or_null("smallest_bytes", task.request.smallest_bytes);
  visit.or_null("largest_bytes", task.request.largest_bytes);
  visit.field("seed", task.request.seed);
  visit.field("line_bytes", task.request.line_bytes);
  visit.field("stated_cache_bytes", task.request.stated_cache_bytes);
  visit.field("stated_memory_side_bytes", task.request.stated_memory_side_bytes);
  visit.field("needs_host_core", task.needs_host_core);
  visit.field("opens_counters", task.opens_counters);
  visit.field("counts_traffic", task.counts_traffic);
  visit.field("sysfs_root", task.sysfs_root);
  // NOLINTNEXTLINE(misc-const-correctness): a reader changes it
  auto ticks = task.run_start.time_since_epoch().count();
  visit.field("run_start", ticks);
  // NOLINTNEXTLINE(misc-const-correctness): a reader changes it
  std::string frame = task.request.frame.passes.empty() ? "" : frame_json(task.request.frame).dump();
  visit.field("frame", frame);
  if constexpr (reads<decltype(visit)>) {
    task.run_start = std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(ticks));
    if (!frame.empty()) task.request.frame = parse_frame({.text = frame, .where = "the task's frame"});
  }
}

namespace {

/// Parent and worker are one program, so that a task has every field.
template <typename Kind>
std::optional<Task> task_in(const nlohmann::json& json) {
  Kind task;
  const auto expected = JsonWriter::json_of(task);
  for (const auto& field : expected.items()) {
    if (!json.contains(field.key())) return std::nullopt;
  }
  const JsonReader reader(json);
  fields(reader, task);
  return task;
}

}  // namespace

std::string task_text(const Task& task) {
  return dumped(std::visit([](const auto& one) { return JsonWriter::json_of(one); }, task));
}

std::optional<Task> parse_task(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return json.contains("list") ? task_in<ListTask>(json) : task_in<MeasureTask>(json);
  } catch (const InvalidFile&) {
    return std::nullopt;
  }
}

}  // namespace sonde::records
