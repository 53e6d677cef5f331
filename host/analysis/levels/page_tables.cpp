#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/levels/translation.hpp"

namespace sonde::analysis {
namespace {

/// The smallest page that any GPU or CPU here uses: what looks like a smaller one is taken to be this.
constexpr double smallest_page_bytes = 4096;
constexpr int most_tables = 3;
constexpr double least_entries = 4;
/// The relative error of any point by clocks, refresh and the placement of lines.
constexpr double least_error_of_a_placement = 0.005;
/// The number of placements of a walk's lines in a cache's sets; repetitions of one agree more than these do.
constexpr double placements = 3;
/// A table is described by three numbers and has to lower the deviance by this many times what noise would.
constexpr double least_gain = 30;
/// The least added share of a load that is worth a finding.
constexpr double least_share_of_a_load = 0.02;
/// The deviance of a 95 % interval of one number.
constexpr double likely = 3.84;

/// The share of a cyclic walk's loads whose page is not in a table, by the pages that it touches per entry and the
/// lines that it touches per page.
using MissShare = double (*)(double pages_per_entry, double lines_per_page);

/// The miss share of a table that keeps the newest pages: each page is the least recently used one when its only line
/// is wanted again. Several lines of a page lie by chance in the cycle; between two of them the page is lost where all
/// entries see other pages meanwhile, which needs a gap of at least 1 - (1 - 1 / p)^(1 / k) of the cycle, and k lines
/// leave a gap of g with the chance (1 - g)^(k - 1).
double newest_miss(double pages_per_entry, double lines_per_page) {
  if (pages_per_entry <= 1) return 0;
  return std::pow(1 - 1 / pages_per_entry, (lines_per_page - 1) / lines_per_page);
}

/// The miss share of random replacement: a page stays with the chance that none of the misses of a lap took its place.
double random_miss(double pages_per_entry, double) {
  if (pages_per_entry <= 1) return 0;
  double share = 1;
  for (int round = 0; round < 40; ++round) share = 1 - std::exp(-pages_per_entry * share);
  return share;
}

/// The miss share of sets of eight that pages fall into by chance: a set with more pages misses all of them.
double sets_miss(double pages_per_entry, double) {
  constexpr int ways = 8;
  const double mean = pages_per_entry * ways;
  if (mean > 40) return 1;
  double probability = std::exp(-mean);
  double hits = 0;
  for (int pages = 1; pages <= ways; ++pages) {
    probability *= mean / pages;
    hits += probability * pages;
  }
  return 1 - hits / mean;
}

constexpr std::array<MissShare, 3> shapes{newest_miss, random_miss, sets_miss};

/// The number of pages that a walk over so many lines touches.
double pages_touched(double lines, double stride_bytes, double page_bytes) {
  return std::max(1.0, lines * std::min(1.0, stride_bytes / page_bytes));
}

/// A table that may be there; only the cost of its misses is left open.
struct Candidate {
  double fewest = 0;  ///< pages for which it has entries
  double most = 0;    ///< pages for which it has too few
  double page_bytes = 0;
  double entries = 0;  ///< between the two
  MissShare shape = newest_miss;
  std::vector<double> misses = {};  ///< at each point, as far as the number of lines does not explain them
};

/// The mean of the middle half. It averages several placements, where a median would take one of them.
double middle_mean(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t out = values.size() / 4;
  const auto middle = std::span(values).subspan(out, values.size() - 2 * out);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

/// The walks in a linear model, in which each number of lines has a time of its own, whatever the stride.
class Walks {
 public:
  explicit Walks(std::span<const StridePoint> points) : points_(points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Summary values = summarize(points[i].values);
      const double ns = middle_mean(points[i].values);
      const double scatter = (values.upper_quartile - values.lower_quartile) / 1.35;
      const double error = std::hypot(least_error_of_a_placement * ns, scatter / std::sqrt(placements));
      weights_.push_back(1 / (error * error));
      ns_.push_back(ns);
      by_lines_[points[i].lines].push_back(i);
    }
    own_ns_ = ns_;
    deviate(own_ns_);
  }

  [[nodiscard]] const std::vector<double>& own_ns() const { return own_ns_; }
  [[nodiscard]] int freedom() const { return static_cast<int>(points_.size()) - static_cast<int>(by_lines_.size()); }
  [[nodiscard]] std::vector<double> pages_touched_in_order(double page_bytes) const {
    std::set<double> all;
    for (const StridePoint& point : points_) {
      all.insert(pages_touched(point.lines, point.stride_bytes, page_bytes));
    }
    all.erase(all.begin(), all.lower_bound(least_entries));
    return {all.begin(), all.end()};
  }
  [[nodiscard]] double largest_stride() const {
    return std::ranges::max(points_, {}, &StridePoint::stride_bytes).stride_bytes;
  }

  /// A candidate's misses at each point, as far as the number of lines does not explain them.
  [[nodiscard]] std::vector<double> misses(const Candidate& one) const {
    std::vector<double> share;
    for (const StridePoint& point : points_) {
      const double pages = pages_touched(point.lines, point.stride_bytes, one.page_bytes);
      share.push_back(one.shape(pages / one.entries, point.lines / pages));
    }
    deviate(share);
    return share;
  }

  [[nodiscard]] double product(const std::vector<double>& one, const std::vector<double>& other) const {
    double sum = 0;
    for (std::size_t i = 0; i < one.size(); ++i) sum += weights_[i] * one[i] * other[i];
    return sum;
  }

  /// The median time of walks with about so many lines.
  [[nodiscard]] double typical_ns(double lines) const {
    std::vector<double> near;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (std::abs(std::log2(points_[i].lines / lines)) < 1) near.push_back(ns_[i]);
    }
    return quantile(near.empty() ? ns_ : near, 0.5);
  }

 private:
  /// Subtracts from each value the weighted mean of those with as many lines.
  void deviate(std::vector<double>& values) const {
    for (const auto& [lines, places] : by_lines_) {
      double sum = 0;
      double weight = 0;
      for (const std::size_t i : places) {
        sum += weights_[i] * values[i];
        weight += weights_[i];
      }
      for (const std::size_t i : places) values[i] -= sum / weight;
    }
  }

  std::span<const StridePoint> points_;
  std::vector<double> weights_;
  std::vector<double> ns_;
  std::vector<double> own_ns_;
  std::map<double, std::vector<std::size_t>> by_lines_;
};

/// The cost of a miss in each table, none below zero, and the deviance that is left.
struct Fit {
  std::vector<double> added_ns;
  double deviance = 0;
};

Fit fit(const Walks& walks, const std::vector<std::vector<double>>& misses) {
  const std::size_t count = misses.size();
  std::vector<double> toward(count);
  std::vector<std::vector<double>> between(count, std::vector<double>(count));
  for (std::size_t one = 0; one < count; ++one) {
    toward[one] = walks.product(misses[one], walks.own_ns());
    for (std::size_t other = 0; other < count; ++other) between[one][other] = walks.product(misses[one], misses[other]);
  }
  Fit found{.added_ns = std::vector<double>(count), .deviance = walks.product(walks.own_ns(), walks.own_ns())};
  constexpr int rounds = 60;  // one cost after the other, the others held, converges, as there are few
  for (int round = 0; round < (count > 1 ? rounds : 1); ++round) {
    for (std::size_t one = 0; one < count; ++one) {
      double rest = toward[one];
      for (std::size_t other = 0; other < count; ++other) {
        if (other != one) rest -= between[one][other] * found.added_ns[other];
      }
      found.added_ns[one] = between[one][one] > 1e-9 ? std::max(0.0, rest / between[one][one]) : 0;
    }
  }
  for (std::size_t one = 0; one < count; ++one) {
    found.deviance -= 2 * found.added_ns[one] * toward[one];
    for (std::size_t other = 0; other < count; ++other) {
      found.deviance += found.added_ns[one] * between[one][other] * found.added_ns[other];
    }
  }
  return found;
}

/// Tables of every size that the walks can tell from its neighbours: between two numbers of pages that were touched.
std::vector<Candidate> all_candidates(const Walks& walks) {
  std::vector<Candidate> all;
  for (double page = smallest_page_bytes; page <= 2 * walks.largest_stride(); page *= 2) {
    const std::vector<double> touched = walks.pages_touched_in_order(page);
    for (std::size_t i = 0; i + 1 < touched.size(); ++i) {
      for (const MissShare shape : shapes) {
        for (const double share : {0.1, 0.5, 0.9}) {  // where several lines share a page, it matters how many it holds
          Candidate table{.fewest = touched[i],
                          .most = touched[i + 1],
                          .page_bytes = page,
                          .entries = touched[i] * std::pow(touched[i + 1] / touched[i], share),
                          .shape = shape};
          table.misses = walks.misses(table);
          if (walks.product(table.misses, table.misses) > 0) all.push_back(std::move(table));
        }
      }
    }
  }
  return all;
}

std::vector<std::vector<double>> misses_of(const std::vector<Candidate>& tables,
                                           std::optional<std::size_t> without = {}) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i != without) all.push_back(tables[i].misses);
  }
  return all;
}

/// The deviance with each of the candidates beside those that are held.
std::vector<double> deviances(const Walks& walks, const std::vector<Candidate>& candidates,
                              std::vector<std::vector<double>> held) {
  std::vector<double> all;
  held.emplace_back();
  for (const Candidate& one : candidates) {
    held.back() = one.misses;
    all.push_back(fit(walks, held).deviance);
  }
  return all;
}

/// The best table beside those that there are, each of which is then chosen again beside the others.
std::vector<Candidate> with_one_more(const Walks& walks, const std::vector<Candidate>& candidates,
                                     std::vector<Candidate> tables) {
  const auto best = [&](const std::vector<std::vector<double>>& held) {
    const std::vector<double> all = deviances(walks, candidates, held);
    return candidates[static_cast<std::size_t>(std::ranges::min_element(all) - all.begin())];
  };
  tables.push_back(best(misses_of(tables)));
  constexpr int rounds = 2;
  for (int round = 0; round < rounds && tables.size() > 1; ++round) {
    for (std::size_t i = 0; i < tables.size(); ++i) tables[i] = best(misses_of(tables, i));
  }
  return tables;
}

/// Tables that explain the walks, and the deviance that noise leaves of each number.
struct Explanation {
  std::vector<Candidate> tables;
  Fit found;
  double noise = 1;
};

/// Adds one table after the other, all of one shape: several sharp ones look much like one that fills up slowly, and a
/// search that may take either does not find its way back from there.
Explanation explained(const Walks& walks, const std::vector<Candidate>& candidates) {
  Explanation best{.tables = {}, .found = fit(walks, {})};
  while (!candidates.empty() && best.tables.size() < most_tables) {
    Explanation more{.tables = with_one_more(walks, candidates, best.tables), .found = {}};
    more.found = fit(walks, misses_of(more.tables));
    const int freedom = walks.freedom() - 3 * static_cast<int>(more.tables.size());
    more.noise = std::max(1.0, more.found.deviance / std::max(1, freedom));
    const double added_ns = std::ranges::min(more.found.added_ns);
    const double loads_ns = walks.typical_ns(more.tables.back().entries);
    const double gain = best.found.deviance - more.found.deviance;
    if (gain < least_gain * more.noise || added_ns < least_share_of_a_load * loads_ns) break;
    best = std::move(more);
  }
  return best;
}

/// The explanation of least cost over all shapes, by the deviance that it leaves and its number of tables.
Explanation best_explanation(const Walks& walks, const std::vector<Candidate>& all) {
  std::vector<Explanation> by_shape;
  for (const MissShare shape : shapes) {
    std::vector<Candidate> candidates;
    std::ranges::copy_if(all, std::back_inserter(candidates), [&](const Candidate& one) { return one.shape == shape; });
    by_shape.push_back(explained(walks, candidates));
  }
  const double noise = std::ranges::min(by_shape, {}, &Explanation::noise).noise;
  return *std::ranges::min_element(by_shape, {}, [&](const Explanation& one) {
    return one.found.deviance / noise + least_gain * static_cast<double>(one.tables.size());
  });
}

/// One of the tables with the range of those that explain the walks nearly as well.
PageTable bracketed(const Walks& walks, const std::vector<Candidate>& candidates, const Explanation& by,
                    std::size_t place) {
  const auto& [tables, found, noise] = by;
  const std::vector<double> all = deviances(walks, candidates, misses_of(tables, place));
  const Candidate& best = tables[place];
  PageTable table{.entries = {best.fewest, best.entries, best.most},
                  .page_bytes = best.page_bytes,
                  .least_page_bytes = best.page_bytes,
                  .most_page_bytes = best.page_bytes};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    if (all[i] > found.deviance + likely * noise) continue;
    table.least_page_bytes = std::min(table.least_page_bytes, one.page_bytes);
    table.most_page_bytes = std::max(table.most_page_bytes, one.page_bytes);
    if (one.page_bytes != best.page_bytes) continue;
    table.entries.low = std::min(table.entries.low, one.fewest);
    table.entries.high = std::max(table.entries.high, one.most);
  }
  table.entries.value = std::sqrt(table.entries.low * table.entries.high);
  table.entries.high += 1;  // for the page that the walk's own place is in
  const std::vector<double>& misses = tables[place].misses;
  const double error = std::sqrt(likely * noise / walks.product(misses, misses));
  const double added_ns = found.added_ns[place];
  table.added_ns = {std::max(0.0, added_ns - error), added_ns, added_ns + error};
  return table;
}

}  // namespace

std::vector<PageTable> page_tables(std::span<const StridePoint> points) {
  if (points.empty()) return {};
  const Walks walks(points);
  if (walks.freedom() < 4) return {};
  const std::vector<Candidate> candidates = all_candidates(walks);
  const Explanation best = best_explanation(walks, candidates);
  std::vector<PageTable> all;
  for (std::size_t i = 0; i < best.tables.size(); ++i) all.push_back(bracketed(walks, candidates, best, i));
  std::ranges::sort(all, {}, &PageTable::reach_bytes);
  return all;
}

}  // namespace sonde::analysis
