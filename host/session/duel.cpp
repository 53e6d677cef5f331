#include "session/duel.hpp"

#include <cmath>

namespace sonde::session {
namespace {

/// The share of a budget that concluding both sides may take at its end.
constexpr double share_to_conclude_both = 0.05;
/// Of so many visits beyond the first look one goes where a probe itself would look closer, as for the edges of caches.
constexpr std::size_t visits_to_a_planned_one = 4;
/// After so many pairs of which a side read none, a point tells of that side what there is to tell.
constexpr int pairs_without_a_reading = 2;

/// The curve of a point, and where on it: between which levels that were found.
using Place = std::pair<measure::Words, std::ptrdiff_t>;

/// The sizes of the levels that an inquiry tells of its first curve, the nearest first.
std::vector<double> level_sizes(const Inquiry& inquiry) {
  const std::vector<measure::FoundLevel>& levels = inquiry.concluded().levels;
  std::vector<double> sizes;
  for (const measure::FoundLevel& level : levels) {
    if (level.found.bytes && level.words == levels.front().words) sizes.push_back(level.found.bytes->value);
  }
  std::ranges::sort(sizes);
  return sizes;
}

/// Loads in another order than a cycle's tell how large caches are, and their own readings are compared with nothing.
bool is_compared(const measure::Point& point) {
  return point.words.order.value_or(measure::Order::cycle) == measure::Order::cycle;
}

Place place_of(const measure::Point& point, std::span<const double> sizes) {
  const double bytes = point.x.bytes.value_or(0);
  return {point.words, std::ranges::upper_bound(sizes, bytes) - sizes.begin()};
}

}  // namespace

void Duel::measure(const SelectedDevices& base, const SelectedDevices& other) {
  runs_[0]->begin(base);
  runs_[1]->begin(other);
  match_inquiries(base, other);
  try {
    take_turns();
  } catch (const std::exception& problem) {
    for (Run* run : runs_) run->tell_early_end(problem.what());
  }
  for (Run* run : runs_) run->finish();
}

/// In the order of BASE's run; what NEW alone has comes last.
void Duel::match_inquiries(const SelectedDevices& base, const SelectedDevices& other) {
  using Key = std::tuple<std::size_t, std::optional<device::Api>, const measure::Probe*>;
  const std::array choices{&base, &other};
  std::map<Key, std::size_t> places;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const auto& inquiry : runs_[side]->inquiries()) {
      const auto chosen = std::ranges::find(choices[side]->chosen, &inquiry->target(),
                                            [](const SelectedDevices::Chosen& one) { return &one.target; });
      const Key key{static_cast<std::size_t>(chosen - choices[side]->chosen.begin()),
                    limits_.has_one_api ? std::nullopt : std::optional(inquiry->api()), &inquiry->probe()};
      const auto [place, is_new] = places.try_emplace(key, matches_.size());
      if (is_new) matches_.emplace_back();
      matches_[place->second].sides[side] = inquiry.get();
    }
  }
}

void Duel::take_turns() {
  const auto stops = [this] { return runs_[0]->has_to_stop() || runs_[1]->has_to_stop(); };
  const double enough = limits_.budget_seconds * (1 - share_to_conclude_both);
  while (!stops()) {
    seconds_left_ = enough - spent_seconds();
    std::vector<Candidate> candidates;
    std::vector<std::pair<Match*, Open>> asked;
    for (Match& match : matches_) {
      for (std::size_t side = 0; side < 2; ++side) {
        Inquiry* const inquiry = match.sides[side];
        // A device is opened when it is first asked something.
        if (inquiry != nullptr && !inquiry->has_begun() && !runs_[side]->open(*inquiry)) return;
      }
      Open open;
      if (const auto one = candidate(match, open)) {
        candidates.push_back(*one);
        asked.emplace_back(&match, open);
        if (one->is_first_look) break;
      }
    }
    knows_all_ = candidates.empty();
    const auto chosen = most_worthwhile(candidates, seconds_left_);
    if (!chosen) return;
    Match& match = *asked[*chosen].first;
    const bool plans = candidates[*chosen].is_first_look ||
                       (candidates[*chosen].doubt > 0 && match.turns++ % visits_to_a_planned_one == 0);
    std::optional<std::size_t> point = plans ? planned(match) : std::nullopt;
    if (!point) point = asked[*chosen].second.point;
    if (!point || !visit(match, match.visited[*point])) return;
  }
}

double Duel::spent_seconds() const {
  const std::array spent{runs_[0]->spent_seconds(), runs_[1]->spent_seconds()};
  // Of real devices each side counts the time in which the other was visited.
  return runs_[0]->is_simulated() && runs_[1]->is_simulated() ? spent[0] + spent[1] : std::max(spent[0], spent[1]);
}

std::optional<Candidate> Duel::candidate(const Match& match, Open& open) const {
  Candidate all;
  for (Inquiry* side : match.sides) {
    const auto one = side != nullptr ? side->candidate() : std::nullopt;
    all.is_first_look = all.is_first_look || (one && one->is_first_look);
    if (side != nullptr) all.seconds_spent += side->seconds();
    if (one) all.seconds_of_next = std::max(all.seconds_of_next, 2 * one->seconds_of_next);
  }
  if (all.is_first_look) return all;
  open = open_verdicts(match);
  if (!open.point) return std::nullopt;
  all.doubt = open.doubt;
  all.seconds_of_next = seconds_of_a_pair(match, match.visited[*open.point].asked.point);
  return all;
}

double Duel::seconds_of_a_pair(const Match& match, const measure::Point& point) {
  double seconds = 0;
  for (const Inquiry* side : match.sides) {
    if (side != nullptr) seconds += side->expected_seconds(point);
  }
  return std::max(seconds, 1e-3);
}

/// Each curve, by level where levels were found.
std::vector<Duel::Ground> Duel::grounds(const Match& match) const {
  const Inquiry* const told = match.sides[0] != nullptr ? match.sides[0] : match.sides[1];
  const std::vector<double> sizes = level_sizes(*told);
  std::map<Place, Ground> by_place;
  for (std::size_t index = 0; index < match.visited.size(); ++index) {
    const Visited& point = match.visited[index];
    if (!is_compared(point.asked.point) || (point.log_ratios.empty() && point.pairs >= pairs_without_a_reading))
      continue;
    Ground& ground = by_place[place_of(point.asked.point, sizes)];
    ground.visited.push_back(index);
    ground.log_ratios.insert(ground.log_ratios.end(), point.log_ratios.begin(), point.log_ratios.end());
  }
  std::vector<Ground> grounds;
  for (auto& [place, ground] : by_place) grounds.push_back(std::move(ground));
  return grounds;
}

/// What either side would look at next, which both are then visited for: in turn, as one may have failed.
std::optional<std::size_t> Duel::planned(Match& match) {
  const auto is_at_first = [&match](std::size_t side) {
    return match.sides[side] != nullptr && match.sides[side]->lacks_first_look();
  };
  const std::size_t in_turn = match.turns / visits_to_a_planned_one % 2;
  const std::size_t first = is_at_first(0) != is_at_first(1) ? (is_at_first(1) ? 1 : 0) : in_turn;
  for (const std::size_t side : {first, 1 - first}) {
    Inquiry* const leader = match.sides[side];
    const auto wanted = leader != nullptr ? leader->wanted_pair() : std::nullopt;
    if (!wanted) continue;
    const measure::PointKey key = key_of(wanted->point);
    const auto known =
        std::ranges::find_if(match.visited, [&key](const Visited& one) { return key_of(one.asked.point) == key; });
    if (known != match.visited.end()) return static_cast<std::size_t>(known - match.visited.begin());
    match.visited.push_back({.asked = *wanted});
    return match.visited.size() - 1;
  }
  return std::nullopt;
}

/// The point whose next pair narrows the interval of an open verdict most for its seconds, as in `most_worthwhile`;
/// where none is open, one that was visited in one order alone.
Duel::Open Duel::open_verdicts(const Match& match) const {
  double most = 0;
  Open open;
  for (const Ground& ground : grounds(match)) {
    const double doubt = doubt_of_verdict(ground.log_ratios, limits_.threshold);
    if (doubt == 0) continue;
    open.doubt += doubt;
    const std::size_t point =
        *std::ranges::min_element(ground.visited, {}, [&match](std::size_t one) { return match.visited[one].pairs; });
    const auto pairs = static_cast<double>(std::max<std::size_t>(1, ground.log_ratios.size()));
    const double gain = std::log1p(1 / pairs) / seconds_of_a_pair(match, match.visited[point].asked.point);
    if (gain <= most) continue;
    most = gain;
    open.point = point;
  }
  const auto in_one_order = [](const Visited& one) { return one.pairs % 2 == 1 && !one.log_ratios.empty(); };
  const auto odd = open.point ? match.visited.end() : std::ranges::find_if(match.visited, in_one_order);
  if (odd != match.visited.end()) open.point = static_cast<std::size_t>(odd - match.visited.begin());
  return open;
}

/// BASE, NEW at one moment and NEW, BASE at another, or the other way round: a drift meets both alike.
bool Duel::visit(Match& match, Visited& point) {
  replace_old_workers(match);
  point.new_first = point.pairs % 2 == 1 ? !point.new_first : random_() % 2 == 1;
  ++point.pairs;
  point.asked.pair = pairs_begun_++;
  std::array<std::optional<double>, 2> read;
  for (const bool is_second : {false, true}) {
    const std::size_t side = point.new_first != is_second ? 1 : 0;
    Inquiry* const inquiry = match.sides[side];
    if (inquiry == nullptr) continue;
    if (!runs_[side]->make_half(*inquiry, point.asked, seconds_left_)) return false;
    read[side] = inquiry->half();
  }
  if (read[0] && read[1] && *read[0] > 0 && *read[1] > 0) {
    point.log_ratios.push_back(std::log(*read[1] / *read[0]));
    ++pairs_read_;
  }
  return true;
}

/// Both sides' at once, so that what a process brings with it meets as many pairs on one side as on the other.
void Duel::replace_old_workers(const Match& match) {
  const auto is_old = [](const Inquiry* side) { return side != nullptr && side->bench()->is_old(); };
  if (std::ranges::none_of(match.sides, is_old)) return;
  for (const Inquiry* side : match.sides) {
    if (side != nullptr) side->bench()->replace();
  }
}

}  // namespace sonde::session
