#pragma once

#include <array>
#include <random>

#include "session/run.hpp"

namespace sonde::session {

struct DuelLimits {
  double budget_seconds;  ///< for both sides together
  double threshold;       ///< the change that counts, as a logarithm
  std::uint64_t seed = 1;
  bool has_one_api = false;  ///< each side is asked through one API, which may differ
};

/// Two runs measured in turn: each point is visited by one side and at once by the other, so that whatever slows the
/// machine down meets both, and only their ratio counts. Time goes to the verdicts that are open.
class Duel {
 public:
  Duel(Run& base, Run& other, const DuelLimits& limits) : runs_{&base, &other}, limits_(limits), random_(limits.seed) {}

  /// Measures both from their files' second line to their last, until every verdict is known, the budget is spent or
  /// the user interrupts.
  void measure(const SelectedDevices& base, const SelectedDevices& other);

  /// Pairs that both sides read, and the seconds that they took.
  [[nodiscard]] int pairs() const { return pairs_read_; }
  [[nodiscard]] double seconds() const { return spent_seconds(); }
  /// Whether it ended because all verdicts are known.
  [[nodiscard]] bool knows_all() const { return knows_all_; }

 private:
  /// A point that was visited in pairs.
  struct Visited {
    Inquiry::PairedVisit asked;
    int pairs = 0;
    bool new_first = false;
    std::vector<double> log_ratios = {};  ///< of the pairs that both sides read
  };
  /// The same probe of the same device on both sides; a side that lacks it is null.
  struct Match {
    std::array<Inquiry*, 2> sides{};
    std::vector<Visited> visited = {};
    std::size_t turns = 0;
  };
  /// The points on which one verdict rests.
  struct Ground {
    std::vector<std::size_t> visited;
    std::vector<double> log_ratios;
  };

  void match_inquiries(const SelectedDevices& base, const SelectedDevices& other);
  void take_turns();
  [[nodiscard]] double spent_seconds() const;
  [[nodiscard]] std::vector<Ground> grounds(const Match& match) const;
  /// The point of a match that is visited next, an index of `visited`; nothing where all is known of it.
  std::optional<std::size_t> planned(Match& match);
  /// The verdicts of a match that are open: their doubt together, and the point to visit next, an index of `visited`.
  struct Open {
    double doubt = 0;
    std::optional<std::size_t> point = {};
  };
  [[nodiscard]] Open open_verdicts(const Match& match) const;
  /// Nothing where nothing is open; `open` is what it rests on beyond the first look.
  std::optional<Candidate> candidate(const Match& match, Open& open) const;
  static double seconds_of_a_pair(const Match& match, const measure::Point& point);
  bool visit(Match& match, Visited& point);
  static void replace_old_workers(const Match& match);

  std::array<Run*, 2> runs_;
  DuelLimits limits_;
  std::mt19937_64 random_;
  std::vector<Match> matches_;
  int pairs_begun_ = 0;
  int pairs_read_ = 0;
  double seconds_left_ = 0;
  bool knows_all_ = false;
};

}  // namespace sonde::session
