#include "session/run.hpp"

#include <fmt/format.h>

#include <iostream>

#include "measure/level_findings.hpp"
#include "os/this_process.hpp"
#include "probes/catalog.hpp"

namespace sonde::session {

using records::Line;

namespace {

/// The share of a budget that concluding may take at its end.
constexpr double share_to_conclude = 0.03;

/// What people look for first: the levels of one API after seconds, then of the other.
bool finds_levels(const Inquiry& inquiry) { return inquiry.probe().levels != measure::LevelsOf::none; }

/// The levels among lines that are of the vector path.
std::vector<measure::FoundLevel> levels_in(std::span<const Line> lines) {
  std::vector<measure::FoundLevel> found;
  for (const Line& line : lines) {
    const auto* one = std::get_if<records::LevelLine>(&line);
    if (one != nullptr && measure::is_vector_path(one->level.words)) found.push_back(one->level);
  }
  return found;
}

}  // namespace

double budget_of(double seconds_for_one_device, const SelectedDevices& choice) {
  const auto devices = std::ranges::count(choice.chosen, false,
                                          [](const SelectedDevices::Chosen& one) { return one.target.beside_gpus; });
  return budget_of(seconds_for_one_device, static_cast<std::size_t>(devices));
}

void Run::measure(const SelectedDevices& choice) {
  begin(choice);
  try {
    look_and_sharpen(budget_of(limits_.budget_seconds, choice));
  } catch (const std::exception& problem) {
    tell_early_end(problem.what());
  }
  finish();
}

void Run::begin(const SelectedDevices& choice) {
  choice_ = &choice;
  for (const auto& [target, apis] : choice.chosen) append(target.record);
  for (const auto& [target, apis] : choice.chosen) {
    for (const device::Api api : apis) {
      if (records::through(target.record, api) != nullptr) {
        prepare(target, api);
      } else {
        skip(target, api, choice.why_not(api));
      }
    }
  }
  std::ranges::stable_sort(
      inquiries_, [](const auto& one, const auto& other) { return finds_levels(*one) && !finds_levels(*other); });
}

void Run::finish() {
  for (const auto& inquiry : inquiries_) {
    inquiry->end();
    // The user's limit may come before every probe had its first look; what is missing says so itself.
    if (Clock::now() > end_ && !os::interrupted() && inquiry->lacks_first_look())
      append(records::SkipLine{inquiry->origin(), std::nullopt,
                               "the run's --time-limit was reached; a larger one goes on"});
  }
  for (const Line& line : conclusions(true)) append(line);
  append(records::EndLine{.status = os::interrupted()                 ? "interrupted"
                                    : count<records::ErrorLine>() > 0 ? "failed"
                                                                      : "complete",
                          .seconds = seconds(),
                          .samples = count<records::SampleLine>(),
                          .skips = count<records::SkipLine>(),
                          .errors = count<records::ErrorLine>()});
}

void Run::prepare(const TargetDevice& target, device::Api api) {
  const bool shares_cores = target.record.type == device::DeviceType::cpu && api != device::Api::cpu;
  const std::size_t first = inquiries_.size();
  std::map<bool, std::shared_ptr<Bench>> benches;
  for (const measure::Probe* probe : asked_.probes) {
    if (!measure::is_asked_through(*probe, api)) continue;
    // A core is taken from the driver of a CPU that is measured as a device only for those probes that need it.
    std::shared_ptr<Bench>& bench = benches[shares_cores && probe->needs_host_core];
    if (!bench) bench = bench_of(target, api, shares_cores && probe->needs_host_core);
    if (probe->wants_hit_rates) bench->open_counters();
    auto observer = std::make_unique<LineObserver>(target.record.id, api, start_, [bench] { return bench->process(); });
    measure::Request request = request_of(target);
    request.counts_traffic = limits_.counts_traffic || probe->wants_hit_rates;
    inquiries_.push_back(
        std::make_unique<Inquiry>(target, api, *probe, std::move(request), bench, std::move(observer)));
  }
  const auto of_this = std::span(inquiries_).last(inquiries_.size() - first);
  const auto finds = [](measure::LevelsOf levels) {
    return [levels](const auto& inquiry) { return inquiry->probe().levels == levels; };
  };
  const auto latency = std::ranges::find_if(of_this, finds(measure::LevelsOf::latency));
  const auto bandwidth = std::ranges::find_if(of_this, finds(measure::LevelsOf::bandwidth));
  if (latency != of_this.end() && bandwidth != of_this.end()) (*bandwidth)->take_levels_of(**latency);
}

measure::Request Run::request_of(const TargetDevice& target) const {
  measure::Request request = asked_.request;
  request.look = measure::Look::first;
  request.line_bytes = target.record.line_bytes;
  request.of_cpu = target.record.type == device::DeviceType::cpu;
  request.stated_cache_bytes = device::largest_bytes(target.record.stated_caches);
  if (target.record.type != device::DeviceType::cpu)
    request.stated_memory_side_bytes = device::largest_bytes(target.record.stated_caches, device::memory_side_level);
  return request;
}

std::shared_ptr<Bench> Run::bench_of(const TargetDevice& target, device::Api api, bool needs_host_core) {
  records::MeasureTask task{.api = api,
                            .device = target.record.id,
                            .driver = records::through(target.record, api)->driver,
                            .index = records::through(target.record, api)->index,
                            .pci = target.record.pci,
                            .model = target.model_text,
                            .noise = limits_.noise,
                            .request = request_of(target),
                            .run_start = steady_start_,
                            .needs_host_core = needs_host_core,
                            .opens_counters = limits_.counts_traffic,
                            .counts_traffic = limits_.counts_traffic,
                            .sysfs_root = limits_.sysfs_root.string()};
  BenchSupport support{
      .longest_silence = limits_.silence,
      .latest_end = end_,
      .tick = [this] { progress_.draw(); },
      .diagnostics =
          [this](std::string_view text) {
            if (!limits_.shows_diagnostics) return;
            progress_.clear();
            std::cerr << text;
          },
      .keep =
          [this](const Line& line) {
            // A worker knows no probe; what it notes is told with the one that is asked.
            Line own = line;
            if (auto* const error = std::get_if<records::ErrorLine>(&own); error != nullptr)
              error->origin.probe = visited_->probe().name;
            if (auto* const skip = std::get_if<records::SkipLine>(&own); skip != nullptr)
              skip->origin.probe = visited_->probe().name;
            // Each process of a device notes the same.
            if (std::holds_alternative<records::CounterLine>(line) || noted_.insert(records::text_of(line)).second)
              append(own);
          },
      .next_process = [this] { return processes_++; },
      .least_seconds_of_a_process = limits_.least_seconds_of_a_process,
      .environment = limits_.environment};
  benches_.push_back(std::make_shared<Bench>(std::move(task), std::move(support)));
  return benches_.back();
}

void Run::look_and_sharpen(double budget_seconds) {
  const double enough = budget_seconds * (1 - share_to_conclude);
  while (!has_to_stop()) {
    seconds_left_ = std::min(enough - spent_seconds(), std::chrono::duration<double>(end_ - Clock::now()).count());
    std::vector<Candidate> candidates;
    std::vector<Inquiry*> asked;
    for (const auto& inquiry : inquiries_) {
      // A device is opened when it is first asked something.
      if (!inquiry->has_begun()) {
        candidates.push_back({.is_first_look = true});
        asked.push_back(inquiry.get());
      } else if (const auto candidate = inquiry->candidate()) {
        candidates.push_back(*candidate);
        asked.push_back(inquiry.get());
      }
    }
    const auto chosen = most_worthwhile(candidates, seconds_left_);
    if (!chosen || !visit(*asked[*chosen])) break;
  }
}

void Run::tell(Inquiry& inquiry, const std::string& point, const std::string& sharpens) {
  visited_ = &inquiry;
  const auto name = [](const SelectedDevices::Chosen& one) { return one.target.record.name; };
  const bool is_only_one = std::ranges::count(choice_->chosen, inquiry.target().record.name, name) < 2;
  progress_.at({.seconds_left = seconds_left_,
                .device = records::name_of(inquiry.target().record, is_only_one),
                .api = records::spoken_name(inquiry.api()),
                .probe = std::string(inquiry.probe().name),
                .point = point,
                .sharpens = sharpens});
}

bool Run::open(Inquiry& inquiry) {
  tell(inquiry, "opening the device", "");
  inquiry.begin([this](const Line& line) { append(line); });
  return !has_to_stop();
}

bool Run::make_half(Inquiry& inquiry, const Inquiry::PairedVisit& paired, double seconds_left) {
  seconds_left_ = seconds_left;
  tell(inquiry, measure::name_of(inquiry.probe(), paired.point), "");
  return inquiry.make_half(paired);
}

bool Run::visit(Inquiry& inquiry) {
  if (!inquiry.has_begun()) return open(inquiry);
  tell(inquiry, inquiry.next_name(), inquiry.most_doubtful());
  const bool went_on = inquiry.go_on();
  if (progress_.wants_a_screen()) {
    std::vector<Line> lines = lines_;
    for (Line& line : conclusions(false)) lines.push_back(std::move(line));
    progress_.show(lines);
  }
  return went_on;
}

double Run::spent_seconds() const {
  double spent = 0;
  double waited = 0;
  for (const auto& bench : benches_) {
    spent += bench->seconds();
    waited += bench->waited_seconds();
  }
  // The time in which this process thinks counts too, but a simulated device's results depend on no clock of ours.
  return is_simulated() ? spent : spent + seconds() - waited;
}

bool Run::is_simulated() const {
  return std::ranges::all_of(benches_, [](const auto& bench) { return bench->api() == device::Api::model; });
}

std::vector<Line> Run::conclusions(bool anew) {
  // Other levels follow from those of latency.
  for (const bool of_latency : {true, false}) {
    for (const auto& inquiry : inquiries_) {
      if (anew && (inquiry->probe().levels == measure::LevelsOf::latency) == of_latency) inquiry->conclude();
    }
  }
  std::vector<Line> lines;
  const auto take = [&lines](const Line& line) { lines.push_back(line); };
  for (const auto& [target, apis] : choice_->chosen) {
    std::map<device::Api, std::vector<measure::FoundLevel>> by_latency;
    for (const device::Api api : apis) {
      for (const auto& inquiry : inquiries_) {
        if (&inquiry->target() != &target || inquiry->api() != api) continue;
        const auto first = static_cast<std::ptrdiff_t>(lines.size());
        inquiry->report(take);
        if (inquiry->probe().levels == measure::LevelsOf::latency)
          by_latency[api] = levels_in(std::span(lines).subspan(first));
      }
    }
    const auto disagreement = measure::disagreement(by_latency[device::Api::opencl], by_latency[device::Api::vulkan]);
    if (!disagreement) continue;
    const auto latency = std::ranges::find(asked_.probes, measure::LevelsOf::latency, &measure::Probe::levels);
    for (const device::Api both : {device::Api::opencl, device::Api::vulkan}) {
      const records::Origin origin{target.record.id, records::api_name(both), std::string((*latency)->name)};
      take(records::FindingLine{origin, std::string(disagreement->kind->name), *disagreement});
    }
  }
  return lines;
}

void Run::append(const Line& line) {
  const std::string text = records::text_of(line);
  const auto read = records::parse_line(text);
  if (read) declare(*read);
  file_.append(text);
  if (read) lines_.push_back(*read);
}

void Run::declare(const Line& line) {
  if (const auto* sample = std::get_if<records::SampleLine>(&line)) {
    const records::Origin& origin = sample->origin;
    const measure::Measurement& one = sample->measurement;
    if (!declared_curves_.emplace(origin.probe, one.point.words, one.unit).second) return;
    if (const auto* const curve = probes::find_curve(origin.probe, one.point.words, one.unit))
      file_.append(records::curve_line(origin.probe, *curve, one.point.words, one.unit));
  } else if (const auto* finding = std::get_if<records::FindingLine>(&line)) {
    if (!declared_kinds_.emplace(finding->origin.probe, finding->name).second) return;
    if (const auto* const kind = probes::find_finding_kind(finding->origin.probe, finding->name))
      file_.append(records::finding_kind_line(finding->origin.probe, *kind));
  }
}

void Run::skip(const TargetDevice& target, device::Api api, const std::string& reason) {
  for (const measure::Probe* probe : asked_.probes) {
    if (!measure::is_asked_through(*probe, api)) continue;
    append(
        records::SkipLine{{target.record.id, records::api_name(api), std::string(probe->name)}, std::nullopt, reason});
  }
}

void Run::tell_early_end(const std::string& why) {
  append(records::ErrorLine{{visited_->origin(), std::nullopt, "the run ended early: " + why}});
  for (const auto& inquiry : inquiries_) {
    if (inquiry.get() != visited_)
      append(records::SkipLine{inquiry->origin(), std::nullopt, "not measured any further, as the run ended early"});
  }
}

bool Run::measured(const std::string& probe) const {
  return std::ranges::any_of(lines_, [&](const Line& line) {
    const auto* sample = std::get_if<records::SampleLine>(&line);
    return sample != nullptr && sample->origin.probe == probe;
  });
}

std::size_t Run::unfinished() const {
  std::set<std::string_view> names;
  for (const auto& inquiry : inquiries_) {
    if (inquiry->wants_new_points_at_first()) names.insert(inquiry->probe().name);
  }
  return names.size();
}

std::string Run::time_spent() const {
  std::string text;
  for (const auto& inquiry : inquiries_) {
    text += fmt::format("{:18} {:16} {:7.2f} s {:6} visits\n", inquiry->probe().name,
                        records::spoken_name(inquiry->api()), inquiry->seconds(), inquiry->visits());
  }
  return text;
}

double Run::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

bool Run::has_to_stop() const { return os::interrupted() || Clock::now() > end_; }

}  // namespace sonde::session
