// Points that are measured at several moments of a run.

#include "measure/visits.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

Measurement measured(std::vector<double> values, bool disturbed = false) {
  Measurement one{.point = test::point_of(4096), .unit = "ns", .values = std::move(values), .state = {}};
  one.state.disturbed = disturbed;
  return one;
}

using Values = std::vector<double>;
using Counts = std::vector<std::size_t>;

// A run may end anywhere, and what drifts meanwhile must not look like a curve.
TEST(Visits, EveryBeginningOfASweepCoversAllSizes) {
  for (const std::size_t count : {1u, 2u, 5u, 33u, 59u, 64u}) {
    std::vector<Point> points;
    for (std::size_t place = 0; place < count; ++place) points.push_back(test::point_of(static_cast<double>(place)));
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      std::set<double> covered{-1, static_cast<double>(count)};
      std::size_t taken = 0;
      for (const Point& point : spread_over_sizes(points, seed)) {
        EXPECT_TRUE(covered.insert(point.x.bytes.value()).second);
        double widest = 0;
        for (auto one = std::next(covered.begin()); one != covered.end(); ++one)
          widest = std::max(widest, *one - *std::prev(one));
        ++taken;
        EXPECT_LE(widest, 8.0 * static_cast<double>(count) / static_cast<double>(taken)) << taken << " of " << count;
        EXPECT_LE(widest, taken * 2 >= count ? 5.0 : 64.0) << taken << " of " << count;
      }
      EXPECT_EQ(taken, count);
    }
  }
}

TEST(Visits, AStageWaitsUntilThoseBeforeItHaveNothingNew) {
  std::vector<Point> first{test::point_of(1), test::point_of(2)};
  std::vector<Point> second{test::point_of(2), test::point_of(3)};
  std::set<double> asked;
  Request request;
  request.was_asked = [&](const Point& point) { return asked.contains(*point.x.bytes); };
  Values order;
  for (int call = 0; call < 4; ++call) {
    for (const Point& point : first_new_points(request, {}, [&] { return first; }, [&] { return second; })) {
      order.push_back(*point.x.bytes);
      asked.insert(*point.x.bytes);
    }
  }
  EXPECT_EQ(order, (Values{1, 2, 3}));
}

TEST(Visits, ValuesOfFurtherOnesAreAddedAndCounted) {
  Measurement known = measured({1, 2, 3});
  add_visit(known, measured({4, 5}));
  add_visit(known, measured({6}));
  EXPECT_EQ(known.values, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(known.visits, (Counts{3, 2, 1}));
}

TEST(Visits, DisturbedOnesCountOnlyWhereAllWere) {
  Measurement known = measured({1, 2, 3}, true);
  add_visit(known, measured({4, 5, 6}, true));
  EXPECT_EQ(known.visits, (Counts{3, 3}));
  add_visit(known, measured({7, 8}));
  EXPECT_EQ(known.values, (Values{7, 8}));
  EXPECT_EQ(known.visits, (Counts{0, 0, 2}));
  EXPECT_FALSE(known.state.disturbed);
  add_visit(known, measured({9}, true));
  EXPECT_EQ(known.values, (Values{7, 8}));
  EXPECT_EQ(known.visits, (Counts{0, 0, 2, 0}));
}

TEST(Visits, EachByItselfIsWhatItWouldHaveBeenAlone) {
  Measurement thrice = measured({1, 2, 3, 4});
  thrice.visits = {2, 0, 1, 1};
  const std::vector<Measurement> all{thrice, measured({7, 8})};
  const auto visits = by_visit(all);
  ASSERT_EQ(visits.size(), 3u);
  EXPECT_EQ(visits[0][0].values, (Values{1, 2}));
  EXPECT_EQ(visits[1][0].values, (Values{3}));
  EXPECT_EQ(visits[2][0].values, (Values{4}));
  for (const auto& visit : visits) EXPECT_EQ(visit[1].values, (Values{7, 8}));
}

}  // namespace
}  // namespace sonde::measure
