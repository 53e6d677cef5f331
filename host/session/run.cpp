#include "session/run.hpp"

#include <spdlog/spdlog.h>

#include <iostream>

#include "measure/level_findings.hpp"
#include "os/this_process.hpp"
#include "probes/catalog.hpp"
#include "session/worker.hpp"

namespace sonde::session {

using measure::WorkerEnd;
using records::Line;
using records::PointLine;

namespace {

/// The probes that one process is asked.
struct WorkerBatch {
  std::vector<const measure::Probe*> probes;
  bool needs_host_core = false;
};

/// On a CPU that is measured as a device, a core is taken from the driver only for those probes that need it.
std::vector<WorkerBatch> batches_of(const TargetDevice& target, device::Api api,
                                    std::span<const measure::Probe* const> probes) {
  const bool shares_cores = target.record.type == device::DeviceType::cpu && api != device::Api::cpu;
  std::vector<WorkerBatch> batches{{.probes = {}}, {.probes = {}, .needs_host_core = true}};
  for (const measure::Probe* probe : probes) {
    if (!measure::is_asked_through(*probe, api)) continue;
    batches[shares_cores && probe->needs_host_core ? 1 : 0].probes.push_back(probe);
  }
  std::erase_if(batches, [](const WorkerBatch& batch) { return batch.probes.empty(); });
  return batches;
}

records::Origin origin_of(const TargetDevice& target, device::Api api, const measure::Probe& probe) {
  return {target.record.id, records::api_name(api), std::string(probe.name)};
}

}  // namespace

void Run::measure(const SelectedDevices& choice) {
  for (const auto& [target, apis] : choice.chosen) append(target.record);
  for (const auto& [target, apis] : choice.chosen) {
    for (const device::Api api : apis) {
      if (os::interrupted()) break;
      if (records::through(target.record, api) != nullptr) {
        probe(target, api);
      } else {
        skip(target, api, choice.why_not(api));
      }
    }
    compare_apis(target);
  }
  append(records::EndLine{.status = os::interrupted()                 ? "interrupted"
                                    : count<records::ErrorLine>() > 0 ? "failed"
                                                                      : "complete",
                          .seconds = seconds(),
                          .samples = count<records::SampleLine>(),
                          .skips = count<records::SkipLine>(),
                          .errors = count<records::ErrorLine>()});
}

void Run::append(const Line& line) {
  const std::string text = records::text_of(line);
  if (const auto read = records::parse_line(text)) {
    keep(text, *read);
  } else {
    file_.append(text);  // it counts for whoever reads the file
  }
}

void Run::keep(std::string_view text, const Line& line) {
  declare(line);
  file_.append(text);
  lines_.push_back(line);
}

void Run::declare(const Line& line) {
  if (const auto* sample = std::get_if<records::SampleLine>(&line)) {
    const auto& [origin, one, t_seconds] = *sample;
    if (!declared_curves_.emplace(origin.probe, one.point.words, one.unit).second) return;
    if (const auto* const curve = probes::find_curve(origin.probe, one.point.words, one.unit))
      file_.append(records::curve_line(origin.probe, *curve, one.point.words, one.unit));
  } else if (const auto* finding = std::get_if<records::FindingLine>(&line)) {
    if (!declared_kinds_.emplace(finding->origin.probe, finding->name).second) return;
    if (const auto* const kind = probes::find_finding_kind(finding->origin.probe, finding->name))
      file_.append(records::finding_kind_line(finding->origin.probe, *kind));
  }
}

void Run::take(std::string_view text, WorkerPosition& position) {
  const auto line = records::parse_line(text);
  if (!line) {
    spdlog::error("a worker sent something that is no record: {}", text);
  } else if (std::holds_alternative<records::ProbeLine>(*line)) {
    ++position.probes_begun;
    position.point.reset();
  } else if (const auto* plan = std::get_if<records::PlanLine>(&*line)) {
    progress_.planned(plan->expected_seconds);
  } else if (const auto* point = std::get_if<PointLine>(&*line)) {
    position.point = *point;
    progress_.point_started(point->name, point->point.expected_seconds);
  } else if (!std::holds_alternative<records::AliveLine>(*line)) {
    keep(text, *line);
  }
}

void Run::probe(const TargetDevice& target, device::Api api) {
  for (const WorkerBatch& batch : batches_of(target, api, asked_.probes)) {
    std::vector<const measure::Probe*> probes = batch.probes;
    while (!probes.empty() && !os::interrupted()) probes = run_worker(target, api, probes, batch.needs_host_core);
  }
  compare_probes(target, api);
}

int Run::workers_for(const TargetDevice& target, device::Api api, std::span<const measure::Probe* const> probes) {
  return static_cast<int>(batches_of(target, api, probes).size());
}

std::vector<const measure::Probe*> Run::run_worker(const TargetDevice& target, device::Api api,
                                                   const std::vector<const measure::Probe*>& probes,
                                                   bool needs_host_core) {
  if (Clock::now() > end_) {
    skip_for_time(origin_of(target, api, *probes.front()), std::nullopt);
    return {};
  }
  measure::Request request = asked_.request;
  request.line_bytes = target.record.line_bytes;
  request.stated_cache_bytes = device::largest_bytes(target.record.stated_caches);
  if (target.record.type != device::DeviceType::cpu)
    request.stated_memory_side_bytes = device::largest_bytes(target.record.stated_caches, device::memory_side_level);
  const records::ApiDevice* device = records::through(target.record, api);
  records::MeasureTask task{.api = api,
                            .device = target.record.id,
                            .index = device != nullptr ? device->index : 0,
                            .pci = target.record.pci,
                            .model = target.model_text,
                            .probes = {},
                            .request = request,
                            .run_start = start_,
                            .needs_host_core = needs_host_core,
                            .counts_traffic = limits_.counts_traffic,
                            .sysfs_root = limits_.sysfs_root.string()};
  for (const measure::Probe* probe : probes) task.probes.emplace_back(probe->id);
  WorkerPosition position;
  const measure::WorkerHandlers handlers{.line = [&](std::string_view text) { take(text, position); },
                                         .tick = [this] { progress_.draw(); },
                                         .diagnostics =
                                             [this](std::string_view text) {
                                               if (!limits_.shows_diagnostics) return;
                                               progress_.clear();
                                               std::cerr << text;
                                             }};
  progress_.worker_started(target.record.name + ", " + records::spoken_name(api));
  const WorkerEnd end = work_in_a_process(task, handlers, {limits_.silence, end_});
  const bool died = end.how == WorkerEnd::How::crashed || end.how == WorkerEnd::How::silent;
  // Where it ended before the first probe, another process would fare no better, and each probe lacks its answer.
  const std::size_t first_lost = std::max<std::size_t>(position.probes_begun, 1) - 1;
  const std::size_t lost = position.probes_begun == 0 ? probes.size() : 1;
  for (std::size_t probe = first_lost; died && probe < first_lost + lost; ++probe) {
    record_death(end, origin_of(target, api, *probes[probe]), position.point);
  }
  if (end.how == WorkerEnd::How::out_of_time)
    skip_for_time(origin_of(target, api, *probes[first_lost]), position.point);
  const bool has_more = position.probes_begun > 0 && position.probes_begun < probes.size() &&
                        (died || end.how == WorkerEnd::How::finished);
  progress_.worker_ended(has_more);
  if (!has_more) return {};
  return {probes.begin() + static_cast<std::ptrdiff_t>(position.probes_begun), probes.end()};
}

void Run::skip(const TargetDevice& target, device::Api api, const std::string& reason) {
  for (const measure::Probe* probe : asked_.probes) {
    if (!measure::is_asked_through(*probe, api)) continue;
    append(records::SkipLine{origin_of(target, api, *probe), std::nullopt, reason});
  }
}

const measure::Probe* Run::probe_of(measure::LevelsOf kind) const {
  const auto found = std::ranges::find(asked_.probes, kind, &measure::Probe::levels);
  return found == asked_.probes.end() ? nullptr : *found;
}

std::vector<measure::FoundLevel> Run::found_levels(const TargetDevice& target, device::Api api,
                                                   measure::LevelsOf kind) const {
  std::vector<measure::FoundLevel> found;
  const measure::Probe* probe = probe_of(kind);
  if (probe == nullptr) return found;
  const records::Origin origin = origin_of(target, api, *probe);
  for (const Line& line : lines_) {
    const auto* one = std::get_if<records::LevelLine>(&line);
    if (one == nullptr || one->origin != origin) continue;
    // Only latency is measured on several paths.
    if (kind == measure::LevelsOf::bandwidth || measure::is_vector_path(one->level.words)) found.push_back(one->level);
  }
  return found;
}

void Run::compare_apis(const TargetDevice& target) {
  const auto finding = measure::disagreement(found_levels(target, device::Api::opencl, measure::LevelsOf::latency),
                                             found_levels(target, device::Api::vulkan, measure::LevelsOf::latency));
  if (!finding) return;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan}) append_finding(target, api, *finding);
}

void Run::compare_probes(const TargetDevice& target, device::Api api) {
  const auto finding = measure::size_disagreement(found_levels(target, api, measure::LevelsOf::latency),
                                                  found_levels(target, api, measure::LevelsOf::bandwidth));
  if (finding) append_finding(target, api, *finding);
}

void Run::append_finding(const TargetDevice& target, device::Api api, const measure::Finding& finding) {
  append(records::FindingLine{origin_of(target, api, *probe_of(measure::LevelsOf::latency)),
                              std::string(finding.kind->name), finding});
}

bool Run::measured(const std::string& probe) const {
  return std::ranges::any_of(lines_, [&](const Line& line) {
    const auto* sample = std::get_if<records::SampleLine>(&line);
    return sample != nullptr && sample->origin.probe == probe;
  });
}

double Run::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Run::skip_for_time(const records::Origin& origin, const std::optional<PointLine>& last_point) {
  const std::string where = last_point ? ", at " + last_point->name : "";
  append(records::SkipLine{origin, last_point ? std::optional(last_point->point) : std::nullopt,
                           "the run's --time-limit was reached" + where + "; a larger one goes on"});
}

void Run::record_death(const WorkerEnd& end, const records::Origin& origin,
                       const std::optional<PointLine>& last_point) {
  std::string reason = end.reason + (last_point ? ", at " + last_point->name : ", before its first point");
  if (!end.last_words.empty()) reason += "; its last words: " + end.last_words;
  if (end.how == WorkerEnd::How::crashed) {
    reason += "; run again, and where it comes back, leave out this probe or try another driver";
  }
  append(records::ErrorLine{{origin, last_point ? std::optional(last_point->point) : std::nullopt, reason}});
}

}  // namespace sonde::session
