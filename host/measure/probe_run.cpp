#include "measure/probe_run.hpp"

#include "measure/cycles.hpp"
#include "measure/level_findings.hpp"
#include "measure/targets.hpp"
#include "measure/visits.hpp"

namespace sonde::measure {
namespace {

/// Failures in a row after which a device is not asked any further.
constexpr int most_failures = 3;
/// Workers that may die at one curve.
constexpr int most_deaths = 3;
/// A curve of hundreds of visits may lose one now and then; one that loses every third is given up.
constexpr double deaths_made_up_for_by_a_visit = 0.1;
/// Visits that are made up for, of those that others disturbed, before a probe looks closer.
constexpr int most_made_up_for = 2;

/// The numbers that were asked for, as they were measured: an extra curve's may be of another place.
Coordinates coordinates_asked_for(const Coordinates& asked, const Coordinates& measured) {
  std::map<std::string, double> numbers = written(asked);
  for (auto& [key, number] : numbers) number = number_at(measured, key).value();
  return parse_coordinates(numbers);
}

/// The reason for which a probe has nothing to measure: the user left out all of its sizes.
std::optional<std::string> left_out(const device::DeviceInfo& device, const Probe& probe, const Request& request) {
  Request unlimited = request;
  unlimited.smallest_bytes = 1;  // still sizes asked for: what has none is left out as before
  unlimited.largest_bytes.reset();
  std::vector<double> sizes;
  for (const Point& point : probe.next(device, unlimited, {})) {
    if (point.x.bytes) sizes.push_back(*point.x.bytes);
  }
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(sizes);
  return "--sizes leaves out all that it measures here, which is " + size_text(least) + " to " + size_text(most);
}

}  // namespace

ProbeRun::ProbeRun(const device::DeviceInfo& device, const Probe& probe, const Request& request, Look closest,
                   Observer& observer)
    : device_(device), probe_(probe), request_(request), closest_(closest), observer_(observer) {
  // A point in the shape that prepare() found for it is that point.
  request_.was_asked = [this](const Point& point) {
    auto found = asked_index_.find(key_of(point));
    if (found == asked_index_.end()) found = asked_index_.find({point.words, point.x, {}});
    if (found == asked_index_.end()) return false;
    const Asked& asked = asked_[found->second];
    return asked.begun >= point.visits_at_once || point.visits_at_once == 1 || is_left_out(asked);
  };
}

const Visit* ProbeRun::wanted() {
  if (visit_) return &*visit_;
  while (!is_done_ && !is_given_up_) {
    if (queue_.empty() && !plan()) {
      is_done_ = true;
      break;
    }
    current_ = queue_.front();
    queue_.pop_front();
    if (!is_left_out(asked_[current_])) return begin_visit(request_.look);
    if (first_look_left_ > 0) --first_look_left_;
  }
  first_look_left_ = 0;
  return nullptr;
}

const Visit* ProbeRun::make_too(const Point& point, Look look) {
  if (visit_) {
    --asked_[current_].begun;
    queue_.push_front(current_);
    visit_.reset();
  }
  ask(point);
  const auto found = asked_index_.find(key_of(point));
  if (is_given_up_ || found == asked_index_.end() || is_left_out(asked_[found->second])) return nullptr;
  current_ = found->second;
  std::erase(queue_, current_);
  return begin_visit(look);
}

const Visit* ProbeRun::begin_visit(Look look) {
  Asked& asked = asked_[current_];
  visit_ = Visit{.point = asked.point, .number = asked.begun++, .look = look};
  if (asked.point.shape.empty()) visit_->point.shape = asked.shape;
  return &*visit_;
}

/// Fills the queue: new points of this look before further visits of those that there are, and those before a closer
/// look.
bool ProbeRun::plan() {
  for (;;) {
    for (const Point& point : probe_.next(device_, request_, known_)) ask(point);
    if (!planned_) first_look_left_ = queue_.size();
    planned_ = true;
    if (!queue_.empty()) return true;
    if (visit_again([this](const Asked& asked) { return lacks_visits(asked); })) return true;
    if (request_.look >= closest_) break;
    request_.look = request_.look == Look::first ? Look::closer : Look::closest;
  }
  return visits_what_scatters_ && visit_again([this](const Asked& asked) { return scatters(asked); });
}

/// Asks for a point that was not asked for before, or not as often as is due at once; one that was may have its number
/// of visits raised.
void ProbeRun::ask(const Point& point) {
  PointKey key = key_of(point);
  if (const auto found = asked_index_.find(key); found != asked_index_.end()) {
    Asked& asked = asked_[found->second];
    asked.point.visits = std::max(asked.point.visits, point.visits);
    if (point.visits_at_once > std::max(1, asked.begun) && !is_left_out(asked)) queue_.push_back(found->second);
    return;
  }
  if (request_.was_asked(point)) return;
  asked_index_.emplace(std::move(key), asked_.size());
  queue_.push_back(asked_.size());
  asked_.push_back({.point = point});
}

/// One more visit for those that have had the fewest.
bool ProbeRun::visit_again(const std::function<bool(const Asked&)>& is_wanted) {
  int fewest = std::numeric_limits<int>::max();
  for (std::size_t index = 0; index < asked_.size(); ++index) {
    const Asked& asked = asked_[index];
    if (is_left_out(asked) || !is_wanted(asked) || asked.begun > fewest) continue;
    if (asked.begun < fewest) queue_.clear();
    fewest = asked.begun;
    queue_.push_back(index);
  }
  return !queue_.empty();
}

const Measurement* ProbeRun::known_of(const Asked& asked) const {
  const Point& point = asked.point;
  const auto place = known_index_.find({{point.words, point.x, asked.shape}, std::string(point.curve->unit.name)});
  return place != known_index_.end() ? &known_[place->second] : nullptr;
}

bool ProbeRun::lacks_visits(const Asked& asked) const {
  if (asked.begun < asked.point.visits) return true;
  const Measurement* const known = known_of(asked);
  if (known == nullptr || asked.point.is_visited_once || asked.begun >= asked.point.visits + most_made_up_for)
    return false;
  const auto left_out = static_cast<int>(std::ranges::count(known->visits, 0u));
  return known->state.disturbed || asked.begun - left_out < asked.point.visits;
}

bool ProbeRun::scatters(const Asked& asked) const {
  const Measurement* const known = known_of(asked);
  if (asked.point.is_visited_once || asked.begun >= most_visits || known == nullptr) return false;
  // Its own visits alone say whether further ones are worth their time: runs differ however many there are.
  return !is_within_target(analysis::predicted_above_zero(median_of(*known), medians_by_visit(*known)), Quantity::rate);
}

bool ProbeRun::is_left_out(const Asked& asked) const {
  const Point& point = asked.point;
  const auto end = ends_.find(point.words);
  // A device that cannot do one size cannot do larger ones.
  const bool beyond = end != ends_.end() && point.x.bytes && *point.x.bytes >= end->second;
  const auto deaths = deaths_.find(point.words);
  return asked.ended || beyond || (deaths != deaths_.end() && deaths->second >= most_deaths);
}

void ProbeRun::take(Answer answer) {
  Asked& asked = asked_[current_];
  const Point point = asked.point;
  visit_.reset();
  if (first_look_left_ > 0) --first_look_left_;
  asked.ended = answer.end != Answer::End::measured;
  if (answer.end != Answer::End::lost) lost_in_a_row_ = 0;
  switch (answer.end) {
    case Answer::End::measured:
      if (answer.measured.traffic)
        observer_.counted(probe_, answer.measured.curves.front().point, *answer.measured.traffic);
      for (Measurement& one : answer.measured.curves) {
        one.point.shape = point.shape;
        asked.shape = one.state.shape;
        observer_.measured(probe_, one);
        // The probe does not see it in cycles too: to the probe that would be another point.
        if (const auto cycles = in_cycles(one)) observer_.measured(probe_, *cycles);
        add(point, std::move(one));
      }
      report_failures_in_a_row();
      if (const auto deaths = deaths_.find(point.words); deaths != deaths_.end())
        deaths->second = std::max(0.0, deaths->second - deaths_made_up_for_by_a_visit);
      break;
    case Answer::End::unsupported:
      if (point.x.bytes) ends_[point.words] = *point.x.bytes;
      observer_.skipped(probe_, &point, answer.reason);
      break;
    case Answer::End::too_short: observer_.skipped(probe_, &point, answer.reason); break;
    case Answer::End::failed: fail(point, answer.reason); break;
    case Answer::End::lost:
      any_failed_ = true;
      observer_.failed(probe_, &point, answer.reason);
      count_death(point);
      if (++lost_in_a_row_ >= most_deaths) {
        observer_.skipped(
            probe_, nullptr,
            "given up, as the driver's process was lost " + std::to_string(most_deaths) + " times in a row");
        is_given_up_ = true;
      }
      break;
  }
}

/// Adds a measurement to the visits of its point, which is one by the shape that was found, as in a record. Numbers
/// that were reached stand in its x beside those that were asked for, and may differ from visit to visit.
void ProbeRun::add(const Point& asked, Measurement one) {
  const PointKey key{one.point.words, coordinates_asked_for(asked.x, one.point.x), one.state.shape};
  const auto [place, is_new] = known_index_.try_emplace({key, one.unit}, known_.size());
  if (is_new) {
    known_.push_back(std::move(one));
  } else {
    add_visit(known_[place->second], one);
  }
}

void ProbeRun::fail(const Point& point, const std::string& reason) {
  any_failed_ = true;
  in_a_row_.push_back({point, reason});
  if (in_a_row_.size() == 1) observer_.failed(probe_, &point, reason);
  if (in_a_row_.size() >= most_failures)
    give_up("given up after " + std::to_string(in_a_row_.size()) + " failures in a row");
}

/// Reports the failures but the first, once something was measured after them or nothing will be.
void ProbeRun::report_failures_in_a_row() {
  for (std::size_t i = 1; i < in_a_row_.size(); ++i) {
    observer_.failed(probe_, &in_a_row_[i].point, in_a_row_[i].reason);
  }
  in_a_row_.clear();
}

/// Reports one line for all points that will not be measured, with the reasons that were not reported.
void ProbeRun::give_up(std::string why) {
  std::set<std::string> reported{in_a_row_.front().reason};
  for (const Failure& one : in_a_row_) {
    if (reported.insert(one.reason).second) why += "; at " + name_of(probe_, one.point) + ": " + one.reason;
  }
  observer_.skipped(probe_, nullptr, why);
  in_a_row_.clear();
  is_given_up_ = true;
}

void ProbeRun::count_death(const Point& point) {
  double& deaths = deaths_[point.words];
  if (deaths >= most_deaths || ++deaths < most_deaths) return;
  const Point curve{.words = point.words};
  observer_.skipped(probe_, &curve,
                    "not measured any further: the driver's process was lost again and again at points of this curve");
}

void ProbeRun::know(std::vector<FoundLevel> levels_by_latency) {
  request_.levels_by_latency = std::move(levels_by_latency);
  is_done_ = false;
}

void ProbeRun::end() {
  if (known_.empty() && in_a_row_.size() > 1) {
    give_up("nothing was measured, as all points failed");
  } else {
    report_failures_in_a_row();
  }
  if (!planned_ || !asked_.empty() || !(request_.smallest_bytes || request_.largest_bytes)) return;
  if (const auto reason = left_out(device_, probe_, request_)) observer_.skipped(probe_, nullptr, *reason);
}

Conclusion ProbeRun::conclude() const {
  Conclusion conclusion = measure::conclude(probe_, request_, known_);
  conclusion.add(probe_.stated(device_, known_));
  return conclusion;
}

void ProbeRun::report(const Conclusion& conclusion) {
  for (const Measurement& one : conclusion.derived) observer_.measured(probe_, one);
  if (!conclusion.levels.empty()) observer_.found_levels(probe_, conclusion.levels);
  for (const Finding& finding : conclusion.findings) observer_.found(probe_, finding);
  for (const CurvesWithoutLevels& curves : conclusion.without_levels) {
    const Point place{.words = curves.words};
    observer_.skipped(probe_, &place, curves.reason);
  }
}

}  // namespace sonde::measure
