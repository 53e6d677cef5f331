#include "session/bench.hpp"

#include <spdlog/spdlog.h>

#include <system_error>

#include "measure/visits.hpp"
#include "os/this_process.hpp"
#include "session/worker.hpp"

namespace sonde::session {
namespace {

using measure::Answer;
using measure::WorkerEnd;

/// A process lasts so many times as long as opening the device took, and `least_seconds_of_a_process`, before a further
/// visit of a point gets another one: what a run says shall rest on no process alone.
constexpr double openings_worth = 15;
/// Failures in a row after which another process may find the device working again.
constexpr int most_failures_in_a_row = 3;
constexpr int most_openings_failed = 2;

/// The numbers that were asked for come back with six digits; to the probe they are what it asked for.
void restore_x(measure::Point& measured, const measure::Point& asked) {
  std::map<std::string, double> numbers = measure::written(measured.x);
  for (const auto& [key, number] : measure::written(asked.x)) {
    if (const auto found = numbers.find(key); found != numbers.end() && found->second == measure::six_digits(number))
      found->second = number;
  }
  measured.x = measure::parse_coordinates(numbers);
}

}  // namespace

const records::InfoLine* Bench::open() {
  while (!worker_ && !is_cut_off_ && openings_failed_ < most_openings_failed) try_to_open();
  return worker_ ? &*info_ : nullptr;
}

bool Bench::try_to_open() {
  process_ = support_.next_process();
  const auto begin = Clock::now();
  answer_.reset();
  bool answered = false;
  try {
    const os::ChangedEnvironment changed(support_.environment);
    worker_.emplace(
        measure::WorkerCommand{
            .program = os::running_program(), .arguments = {"worker"}, .task = records::task_text(task_)},
        measure::WorkerHandlers{.line = [this](std::string_view text) { take(text); },
                                .tick = support_.tick,
                                .diagnostics = support_.diagnostics},
        support_.longest_silence, os::interrupted());
    answered = wait_for_answer();
    is_cut_off_ = !answered && was_cut_off();
    why_closed_ = answered ? Answer{.end = answer_->end, .reason = answer_->reason} : death(", before its first point");
  } catch (const std::system_error& error) {
    why_closed_ = {.end = Answer::End::failed, .reason = error.what()};
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  opening_seconds_ = took.count();
  waited_seconds_ += took.count();
  if (task_.api != device::Api::model) seconds_ += opening_seconds_;
  seconds_since_opened_ = 0;
  failed_in_a_row_ = 0;
  const bool is_open = answered && answer_->end == Answer::End::measured;
  openings_failed_ = is_open ? 0 : openings_failed_ + 1;
  if (is_open) return true;
  // Another process repeats what a driver answers at first; later it may be for the moment.
  if (answered && !info_) openings_failed_ = most_openings_failed;
  worker_.reset();
  return false;
}

std::optional<Answer> Bench::make(const measure::Probe& probe, const measure::Visit& visit) {
  if (visit.number > 0 && is_old()) worker_.reset();
  if (open() == nullptr) return is_cut_off_ ? std::nullopt : std::optional(why_closed_);
  const auto begin = Clock::now();
  const Clock::duration stopped_before = Clock::left_out();
  probe_ = &probe;
  measured_.clear();
  answer_.reset();
  worker_->send(
      records::text_of(records::VisitLine{.origin = {task_.device, records::api_name(task_.api), std::string(probe.id)},
                                          .curve = std::string(visit.point.curve->name),
                                          .visit = visit}));
  Answer answer;
  if (wait_for_answer()) {
    answer = {.end = answer_->end, .reason = answer_->reason, .measured = {.curves = std::move(measured_)}};
    for (measure::Measurement& one : answer.measured.curves) restore_x(one.point, visit.point);
  } else {
    is_cut_off_ = was_cut_off();
    answer = death(", at " + measure::name_of(probe, visit.point));
    worker_.reset();
    if (is_cut_off_) return std::nullopt;
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  waited_seconds_ += took.count();
  if (Clock::left_out() != stopped_before && task_.api != device::Api::model) return make(probe, visit);
  // A simulated device's run is the same however long its host took, and where its process died.
  const double without_answer = task_.api == device::Api::model ? 0 : took.count();
  const double seconds = answer_ ? answer_->simulated_seconds.value_or(without_answer) : without_answer;
  seconds_ += seconds;
  seconds_since_opened_ += seconds;
  failed_in_a_row_ = answer.end == Answer::End::failed ? failed_in_a_row_ + 1 : 0;
  // A lost device may hang where it is closed, so its process is ended.
  if (answer.end == Answer::End::lost || failed_in_a_row_ >= most_failures_in_a_row) worker_.reset();
  return answer;
}

/// Processes of a simulated device are all alike.
bool Bench::is_old() const {
  return worker_ && task_.api != device::Api::model &&
         seconds_since_opened_ > std::max(support_.least_seconds_of_a_process, openings_worth * opening_seconds_);
}

bool Bench::was_cut_off() const {
  const WorkerEnd::How how = worker_->end().how;
  return how == WorkerEnd::How::interrupted || how == WorkerEnd::How::out_of_time;
}

/// An answer that came just after the worker had to be ended counts for nothing.
bool Bench::wait_for_answer() {
  return worker_->wait([this] { return answer_.has_value(); }, support_.latest_end) &&
         worker_->end().how == WorkerEnd::How::finished;
}

void Bench::take(std::string_view text) {
  auto line = records::parse_line(text);
  if (!line) {
    spdlog::error("a worker sent something that is no record: {}", text);
  } else if (auto* const info = std::get_if<records::InfoLine>(&*line)) {
    info_ = std::move(*info);
    answer_ = records::AnswerLine{};
  } else if (auto* const answer = std::get_if<records::AnswerLine>(&*line)) {
    answer_ = std::move(*answer);
  } else if (auto* const sample = std::get_if<records::SampleLine>(&*line)) {
    measure::Measurement& one = sample->measurement;
    one.point.curve = probe_ != nullptr ? measure::find_curve(probe_->curves, one.point.words, one.unit) : nullptr;
    if (!one.values.empty()) measured_.push_back(std::move(one));
  } else if (!std::holds_alternative<records::AliveLine>(*line)) {
    support_.keep(*line);
  }
}

Answer Bench::death(const std::string& where) const {
  const WorkerEnd& end = worker_->end();
  if (end.reason.empty()) return {.end = Answer::End::lost};  // the user, or the end of the run's time, cut it off
  std::string reason = end.reason + where;
  if (!end.last_words.empty()) reason += "; its last words: " + end.last_words;
  if (end.how == WorkerEnd::How::crashed)
    reason += "; run again, and where it comes back, leave out this probe or try another driver";
  return {.end = Answer::End::lost, .reason = reason};
}

}  // namespace sonde::session
