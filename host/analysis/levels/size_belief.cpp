#include "analysis/levels/size_belief.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace sonde::analysis::curve {
namespace {

/// Sizes are tried at so many places on either side of the middle, first over an octave, or over more where sizes at
/// its ends are likely too, and then where they are likely.
constexpr int places = 20;
constexpr double most_octaves = 6;
constexpr double most_shift = 0.75;
constexpr double log_unlikely = -9;
/// Scales by which independent lines may see a cache elsewhere than a cycle, in octaves: with the same pages, with
/// formulas that are slightly wrong, and where pages lie anew each time.
constexpr std::array scales_of_shift{0.0, 0.02, 0.1, 0.3};
constexpr std::size_t scales_without_pages = 2;

/// What a column adds to the sums from which its gain beside the held terms follows; sums of the columns of different
/// points add up.
struct Sums {
  double toward = 0;
  double squares = 0;
  Eigen::VectorXd inside;
};

/// The points without what the held terms explain.
class Remainder {
 public:
  Remainder(const Observations& points, std::span<const Term> held, const Eigen::VectorXd& weights)
      : points_(points), weights_(weights), unexplained_(unexplained(points, held, weights)) {}

  /// Of a term's column, at the points of independent walks alone or at all others.
  [[nodiscard]] Sums sums(const Term& term, bool independent) const {
    Eigen::VectorXd column = Eigen::VectorXd::Zero(points_.count());
    for (Eigen::Index i = 0; i < points_.count(); ++i) {
      if ((points_.order_of(i) == LoadOrder::independent) != independent) continue;
      column(i) = weights_(i) * share(term, points_.order_of(i), points_.log2_bytes(i), points_.log2_touched(i));
    }
    return {column.dot(unexplained_.left), column.squaredNorm(), unexplained_.base.transpose() * column};
  }

 private:
  const Observations& points_;
  const Eigen::VectorXd& weights_;
  Unexplained unexplained_;
};

/// The terms beside which a cache's sizes are weighed: all others, and the nearest table of a CPU's pages, which is
/// there whether or not it pays for its parameters, and whose misses look like those of a cache that begins to
/// overflow.
std::vector<Term> beside(const Observations& points, const Fitted& fitted, std::size_t term) {
  constexpr double usual_entries = 64;
  std::vector<Term> all = without(fitted.terms, term);
  if (points.unwalked_pages(fitted.terms[term].log2_bytes) <= usual_entries) return all;
  const double table = std::log2(usual_entries * points.cpu_page_bytes);
  const bool has_one = std::ranges::any_of(
      all, [&](const Term& other) { return !other.is_cache() && std::abs(other.log2_bytes - table) < 2; });
  if (!has_one) all.push_back({.kind = TermKind::pages_shared, .log2_bytes = table, .shape = fitted.terms[term].shape});
  return all;
}

double gain_of_both(const Sums& one, const Sums& other) {
  return gain(one.toward + other.toward, one.squares + other.squares, (one.inside + other.inside).squaredNorm());
}

/// Independent walks see the index alone, and the ways of a hashed one.
bool look_alike(const CacheShape& one, const CacheShape& other) {
  return one.index == other.index && (one.index == CacheShape::Index::modulo || one.ways == other.ways);
}

struct Possible {
  Term term;
  double prior = 0;
};

/// All terms that a cache may be, at one size; each index and policy is as likely as each other.
std::vector<Possible> possible_terms(const Term& own, const Observations& points) {
  std::vector<Possible> all;
  const std::span<const CacheShape> shapes = cache_shapes();
  for (const CacheShape& shape : shapes) {
    if (!is_possible(shape, points)) continue;
    const auto alike = std::ranges::count_if(
        shapes, [&](const CacheShape& other) { return other.index == shape.index && other.policy == shape.policy; });
    all.push_back({{.log2_bytes = own.log2_bytes, .shape = &shape, .independent_shape = own.independent_shape},
                   1 / static_cast<double>(alike)});
  }
  if (points.of_streams) {
    all.push_back({own, 1});
    all.back().term.kind = TermKind::cache_in_many_orders;
  }
  return all;
}

/// How far the points about an edge lie from the model, as a variance in units of what they are expected to.
double dispersion(const Observations& points, const Fitted& fitted, const Term& term) {
  constexpr double known_before = 4;
  double squares = known_before;
  double count = known_before;
  for (Eigen::Index i = 0; i < points.count(); ++i) {
    const double missed = share(term, points.order_of(i), points.log2_bytes(i), points.log2_touched(i));
    if (missed < 0.02 || missed > 0.98) continue;
    const double off = (points.latency(i) - fitted.model(i)) * fitted.weights(i);
    squares += off * off;
    count += 1;
  }
  return squares / count;
}

/// Sizes at even distances.
struct Grid {
  double middle = 0;
  double distance = 0;
  [[nodiscard]] double at(int place) const { return middle + place * distance; }
};

constexpr double usually_counted = 0.33;
/// The share that counts of an independent walk's smaller size, beside the cycle's, and how likely it is.
constexpr std::array<std::pair<double, double>, 4> counted{{{0, 0.35}, {usually_counted, 0.35}, {0.67, 0.2}, {1, 0.1}}};

class Sizes {
 public:
  Sizes(const Observations& points, const Fitted& fitted, std::size_t term, const Constants& constants)
      : points_(points),
        own_(fitted.terms[term]),
        constants_(constants),
        held_(beside(points, fitted, term)),
        remainder_(points, held_, fitted.weights),
        dispersion_(dispersion(points, fitted, own_)),
        possible_(possible_terms(own_, points)) {}

  [[nodiscard]] SizeBelief believed() {
    Grid grid{.middle = own_.log2_bytes, .distance = 1.0 / places};
    least_shift_ = points_.has_independent ? -most_shift : 0;
    most_shift_ = -least_shift_;
    weigh(grid);
    while (goes_on_beyond(grid) && grid.distance * places < most_octaves) {
      grid.distance *= 1.5;
      weigh(grid);
    }
    constexpr int closer_looks = 2;
    for (int look = 0; look < closer_looks && !weighed_.empty(); ++look) {
      grid = closer(grid);
      weigh(grid);
    }
    return weighed_.empty() ? SizeBelief{} : belief(closer(grid).distance);
  }

 private:
  struct Weighed {
    double log2_bytes = 0;
    double shift = 0;
    double weight = 0;
    std::size_t possible = 0;
  };

  /// Octaves by which chance in the sets of few lines moves a cache for one order of loads.
  [[nodiscard]] double by_lines() const {
    return constants_.order_scatter_of_lines / std::sqrt(std::exp2(own_.log2_bytes) / points_.line_bytes);
  }

  /// The prior's weights of shifts by so many places, from the least on.
  [[nodiscard]] std::vector<double> priors_of_shifts(const Grid& grid, int least, int most) const {
    const double bytes = std::exp2(own_.log2_bytes);
    const std::size_t count = bytes > constants_.placed_bytes ? scales_of_shift.size() : scales_without_pages;
    std::vector<double> all(static_cast<std::size_t>(most - least + 1), 0);
    for (std::size_t scale = 0; scale < count; ++scale) {
      const double deviation = std::max(std::hypot(by_lines(), scales_of_shift[scale]), grid.distance / 3);
      for (int place = least; place <= most; ++place) {
        const double off = place * grid.distance / deviation;
        all[static_cast<std::size_t>(place - least)] += std::exp(-off * off / 2) / deviation;
      }
    }
    return all;
  }

  /// Whether a size at one of the grid's ends is likely.
  [[nodiscard]] bool goes_on_beyond(const Grid& grid) const {
    if (weighed_.empty()) return false;
    const auto [least, most] = std::ranges::minmax(weighed_, {}, &Weighed::log2_bytes);
    return least.log2_bytes <= grid.at(-places) || most.log2_bytes >= grid.at(places);
  }

  /// The grid that has the likely sizes alone; shifts are tried from there on as far as they are likely.
  Grid closer(const Grid& grid) {
    double low = own_.log2_bytes;
    double high = low;
    least_shift_ = most_shift_ = own_.shift;
    for (const Weighed& one : weighed_) {
      low = std::min(low, one.log2_bytes);
      high = std::max(high, one.log2_bytes);
      least_shift_ = std::min(least_shift_, one.shift);
      most_shift_ = std::max(most_shift_, one.shift);
    }
    least_shift_ -= points_.has_independent ? grid.distance : 0;
    most_shift_ += points_.has_independent ? grid.distance : 0;
    const double reach = (high - low) / 2 + grid.distance;
    return {.middle = (low + high) / 2, .distance = std::min(grid.distance, reach / places)};
  }

  void weigh(const Grid& grid) {
    const int first = static_cast<int>(std::floor(least_shift_ / grid.distance));
    const int last = static_cast<int>(std::ceil(most_shift_ / grid.distance));
    const std::vector<double> priors = priors_of_shifts(grid, first, last);
    const Sums nothing{.inside = Eigen::VectorXd::Zero(remainder_.sums(own_, false).inside.size())};
    std::vector<std::pair<const CacheShape*, std::vector<Sums>>> seen;  // by independent walks
    const auto seen_as = [&](const Term& term) -> const std::vector<Sums>& {
      const CacheShape* shape = term.independent_shape ? term.independent_shape : term.shape;
      for (const auto& [other, sums] : seen) {
        if (look_alike(*shape, *other)) return sums;
      }
      std::vector<Sums> sums;
      for (int place = first - places; place <= last + places; ++place) {
        Term moved = term;
        moved.log2_bytes = grid.at(place);
        moved.shift = 0;
        sums.push_back(points_.has_independent ? remainder_.sums(moved, true) : nothing);
      }
      return seen.emplace_back(shape, std::move(sums)).second;
    };
    std::vector<Weighed> all;
    double most = -1e300;
    bool explains = false;
    for (std::size_t i = 0; i < possible_.size(); ++i) {
      const std::vector<Sums>& independent = seen_as(possible_[i].term);
      for (int place = -places; place <= places; ++place) {
        Term moved = possible_[i].term;
        moved.log2_bytes = grid.at(place);
        const Sums cycle = remainder_.sums(moved, false);
        for (int shift = first; shift <= last; ++shift) {
          const double prior = possible_[i].prior * priors[static_cast<std::size_t>(shift - first)];
          const double gained = gain_of_both(
              cycle, independent[static_cast<std::size_t>(place + places) + static_cast<std::size_t>(shift - first)]);
          const double worth = gained / dispersion_ / 2 + std::log(std::max(prior, 1e-300));
          if (worth < most + log_unlikely) continue;
          explains |= gained > 0;
          most = std::max(most, worth);
          all.push_back({moved.log2_bytes, shift * grid.distance, worth, i});
        }
      }
    }
    std::erase_if(all, [&](const Weighed& one) { return !explains || one.weight < most + log_unlikely; });
    for (Weighed& one : all) one.weight = std::exp(one.weight - most);
    weighed_ = std::move(all);
  }

  /// Chance in sets and pages makes a cycle miss early, so hits of independent lines beyond its size count in full.
  /// Where these hit less, others may have used a part or a formula may be wrong.
  [[nodiscard]] bool counts_in_full(double log2_bytes, double shift) const {
    return shift >= 0 || std::exp2(log2_bytes) <= constants_.placed_bytes;
  }

  /// The size of the fit that explains all points best.
  [[nodiscard]] double likeliest() const {
    return own_.log2_bytes + own_.shift * (counts_in_full(own_.log2_bytes, own_.shift) ? 1 : usually_counted);
  }

  [[nodiscard]] SizeBelief belief(double distance) const {
    std::vector<Belief::Part> size, cycle, independent;
    for (const Weighed& one : weighed_) {
      cycle.push_back({one.log2_bytes, one.weight});
      independent.push_back({one.log2_bytes + one.shift, one.weight});
      if (counts_in_full(one.log2_bytes, one.shift + distance)) {
        size.push_back(independent.back());
      } else {
        for (const auto& [share, probability] : counted)
          size.push_back({one.log2_bytes + share * one.shift, one.weight * probability});
      }
    }
    SizeBelief found{.size = Belief(std::move(size)), .by_cycle = Belief(std::move(cycle))};
    if (points_.has_independent) found.by_independent = Belief(std::move(independent));
    for (const Weighed& one : weighed_) {
      if (one.weight < 0.15) continue;
      found.likely.push_back(possible_[one.possible].term);
      found.likely.back().log2_bytes = one.log2_bytes;
    }
    // Points that lie further from every formula than their errors saw the cache as others left it at their moment.
    const double unsteady = std::sqrt(std::max(0.0, dispersion_ - 1));
    found.moved = constants_.moved_unseen * unsteady;
    // Chance in the sets of few lines is the same at all points.
    const double by_chance = 0.7 * by_lines();
    const Bracket own = found.size.bracket();
    found.bracket = {own.value - std::hypot(own.value - own.low, found.moved, by_chance), 0,
                     own.value + std::hypot(own.high - own.value, constants_.taken_unseen * unsteady, by_chance)};
    found.bracket.value = std::clamp(likeliest(), found.bracket.low, found.bracket.high);
    return found;
  }

  const Observations& points_;
  const Term& own_;
  const Constants& constants_;
  std::vector<Term> held_;
  Remainder remainder_;
  double dispersion_;
  std::vector<Possible> possible_;
  double least_shift_ = 0;
  double most_shift_ = 0;
  std::vector<Weighed> weighed_;
};

}  // namespace

SizeBelief size_belief(const Observations& points, const Fitted& fitted, std::size_t term, const Constants& constants) {
  return Sizes(points, fitted, term, constants).believed();
}

}  // namespace sonde::analysis::curve
