#include "records/task.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "records/frame_file.hpp"

namespace sonde::records {
namespace {

using Json = nlohmann::json;

Json optional_json(const std::optional<std::uint64_t>& bytes) { return bytes ? Json(*bytes) : Json(nullptr); }

std::optional<std::uint64_t> optional_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::uint64_t>());
}

Json json_of(const ListTask& task) { return {{"list", static_cast<int>(task.api)}}; }

Json json_of(const MeasureTask& task) {
  return {{"measure", static_cast<int>(task.api)},
          {"device", task.device},
          {"index", task.index},
          {"pci", task.pci},
          {"model", task.model},
          {"probes", task.probes},
          {"effort", static_cast<int>(task.request.effort)},
          {"smallest_bytes", optional_json(task.request.smallest_bytes)},
          {"largest_bytes", optional_json(task.request.largest_bytes)},
          {"seed", task.request.seed},
          {"line_bytes", task.request.line_bytes},
          {"stated_cache_bytes", task.request.stated_cache_bytes},
          {"stated_memory_side_bytes", task.request.stated_memory_side_bytes},
          {"frame", task.request.frame.passes.empty() ? "" : frame_json(task.request.frame).dump()},
          {"run_start", task.run_start.time_since_epoch().count()},
          {"needs_host_core", task.needs_host_core},
          {"counts_traffic", task.counts_traffic},
          {"sysfs_root", task.sysfs_root}};
}

MeasureTask measure_task(const Json& json) {
  MeasureTask task;
  task.api = static_cast<device::Api>(json.at("measure").get<int>());
  json.at("device").get_to(task.device);
  json.at("index").get_to(task.index);
  json.at("pci").get_to(task.pci);
  json.at("model").get_to(task.model);
  json.at("probes").get_to(task.probes);
  task.request.effort = static_cast<measure::Effort>(json.at("effort").get<int>());
  task.request.smallest_bytes = optional_of(json.at("smallest_bytes"));
  task.request.largest_bytes = optional_of(json.at("largest_bytes"));
  json.at("seed").get_to(task.request.seed);
  json.at("line_bytes").get_to(task.request.line_bytes);
  json.at("stated_cache_bytes").get_to(task.request.stated_cache_bytes);
  json.at("stated_memory_side_bytes").get_to(task.request.stated_memory_side_bytes);
  const std::string frame = json.at("frame");
  if (!frame.empty()) task.request.frame = parse_frame({.text = frame, .where = "the task's frame"});
  task.run_start = std::chrono::steady_clock::time_point(
      std::chrono::steady_clock::duration(json.at("run_start").get<std::chrono::steady_clock::rep>()));
  json.at("needs_host_core").get_to(task.needs_host_core);
  json.at("counts_traffic").get_to(task.counts_traffic);
  json.at("sysfs_root").get_to(task.sysfs_root);
  return task;
}

}  // namespace

std::string task_text(const Task& task) {
  const Json json = std::visit([](const auto& one) { return json_of(one); }, task);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Task> parse_task(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.contains("list")) return ListTask{static_cast<device::Api>(json.at("list").get<int>())};
    return measure_task(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const InvalidFile&) {
    return std::nullopt;
  }
}

}  // namespace sonde::records
