#include "session/inquiry.hpp"

#include "measure/level_findings.hpp"
#include "measure/visits.hpp"

namespace sonde::session {
namespace {

/// What is known is concluded anew once so many times as much time was spent: levels take a while to find.
constexpr double growth_between_conclusions = 1.6;

/// The doubt of a probe that has concluded nothing yet, and of one that will find levels.
constexpr double doubt_before_a_conclusion = 2;
constexpr double doubt_before_levels = 10;
/// The doubt of one whose first plan has not had its usual visits: before those, what scatters cannot be told. One that
/// has had the first alone knows a single moment.
constexpr double doubt_of_few_visits = 1;
constexpr double doubt_of_one_moment = 2.5;

}  // namespace

void LineObserver::measured(const measure::Probe& probe, const measure::Measurement& measurement) {
  const std::chrono::duration<double> t = os::RunningClock::now() - run_start_;
  take_(records::SampleLine{origin(probe), measurement, t.count(), process_(), pair_});
}

void LineObserver::found_levels(const measure::Probe& probe, const std::vector<measure::FoundLevel>& levels) {
  for (const measure::FoundLevel& level : levels) take_(records::LevelLine{origin(probe), level});
}

void LineObserver::found(const measure::Probe& probe, const measure::Finding& finding) {
  take_(records::FindingLine{origin(probe), std::string(finding.kind->name), finding});
}

void LineObserver::skipped(const measure::Probe& probe, const measure::Point* point, const std::string& reason) {
  take_(records::SkipLine{origin(probe), point != nullptr ? std::optional(*point) : std::nullopt, reason});
}

void LineObserver::failed(const measure::Probe& probe, const measure::Point* point, const std::string& reason) {
  take_(records::ErrorLine{{origin(probe), point != nullptr ? std::optional(*point) : std::nullopt, reason}});
}

void Inquiry::begin(const std::function<void(const records::Line&)>& take) {
  has_begun_ = true;
  observer_->write_to(take);
  const records::InfoLine* const opened = bench_->open();
  if (opened == nullptr) {
    const measure::Answer& why = bench_->why_closed();
    if (why.end == measure::Answer::End::unsupported) {
      observer_->skipped(probe_, nullptr, why.reason);
    } else if (!why.reason.empty()) {
      observer_->failed(probe_, nullptr, why.reason);
    }
    return;
  }
  info_ = opened->info;
  if (const auto obstacle = probe_.obstacle(info_)) {
    observer_->skipped(probe_, nullptr, *obstacle);
    return;
  }
  request_.counts_traffic = request_.counts_traffic && opened->counts_traffic;
  run_ = std::make_unique<measure::ProbeRun>(info_, probe_, request_, measure::Look::closest, *observer_);
  run_->also_visit_what_scatters();
}

std::optional<Candidate> Inquiry::candidate() {
  if (has_new_levels()) conclude();
  const measure::Visit* const visit = next_visit();
  if (visit == nullptr) return std::nullopt;
  const bool is_first_look = run_->is_first_look();
  const bool is_due = seconds_ >= growth_between_conclusions * seconds_concluded_ && visits_ > visits_concluded_;
  if (!is_first_look && is_due) conclude();
  double in_doubt = doubt(conclusion_);
  if (probe_.levels != measure::LevelsOf::none && conclusion_.levels.empty()) {
    in_doubt = doubt_before_levels;
  } else if (conclusion_.levels.empty() && conclusion_.findings.empty()) {
    in_doubt = doubt_before_a_conclusion;
  }
  if (visit->look == measure::Look::first && visit->number < measure::usual_visits)
    in_doubt = std::max(in_doubt, visit->number == 1 ? doubt_of_one_moment : doubt_of_few_visits);
  return Candidate{.is_first_look = is_first_look || visit->point.follows_at_once,
                   .doubt = in_doubt,
                   .seconds_spent = seconds_,
                   .seconds_of_next = expected_seconds(visit->point)};
}

std::optional<Inquiry::PairedVisit> Inquiry::wanted_pair() {
  const measure::Visit* const visit = next_visit();
  if (visit == nullptr) return std::nullopt;
  return PairedVisit{.point = run_->asked_point(), .look = visit->look};
}

bool Inquiry::make_half(const PairedVisit& paired) {
  half_.reset();
  const measure::Visit* const visit = run_ ? run_->make_too(paired.point, paired.look) : nullptr;
  if (visit == nullptr) return true;
  observer_->in_pair(paired.pair);
  return make(measure::Visit(*visit));
}

bool Inquiry::make(const measure::Visit& visit) {
  const double before = bench_->seconds();
  auto answer = bench_->make(probe_, visit);
  if (!answer) return false;
  seconds_ += bench_->seconds() - before;
  // A driver that hung says nothing of how long other visits take.
  if (answer->end != measure::Answer::End::lost) {
    expected_seconds_ += visit.point.expected_seconds;
    seconds_of_expected_ += bench_->seconds() - before;
  }
  ++visits_;
  if (answer->end == measure::Answer::End::measured) half_ = median_of(answer->measured.curves.front());
  run_->take(std::move(*answer));
  return true;
}

const measure::Visit* Inquiry::next_visit() { return run_ ? run_->wanted() : nullptr; }

std::string Inquiry::next_name() {
  const measure::Visit* const visit = next_visit();
  return visit != nullptr ? measure::name_of(probe_, visit->point) : "";
}

bool Inquiry::wants_new_points_at_first() {
  if (!has_begun_) return true;
  const measure::Visit* const visit = next_visit();
  return visit != nullptr && visit->look == measure::Look::first && visit->number == 0;
}

void Inquiry::end() {
  if (run_) run_->end();
}

void Inquiry::conclude() {
  if (!run_ || (visits_ == visits_concluded_ && !has_new_levels())) return;
  if (latency_ != nullptr) {
    std::vector<measure::FoundLevel> levels = latency_->conclusion_.levels;
    std::erase_if(levels, [](const measure::FoundLevel& one) { return !measure::is_vector_path(one.words); });
    run_->know(std::move(levels));
    visits_of_levels_ = latency_->visits_concluded_;
  }
  conclusion_ = run_->conclude();
  visits_concluded_ = visits_;
  seconds_concluded_ = seconds_;
}

void Inquiry::report(const std::function<void(const records::Line&)>& take) {
  if (!run_) return;
  auto before = observer_->write_to(take);
  run_->report(conclusion_);
  observer_->write_to(std::move(before));
}

}  // namespace sonde::session
