// A probe's plan, what it knows and what it reports, against answers that a test makes up: no device, no process.

#include "measure/probe_run.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "measure/visits.hpp"
#include "support/recording_observer.hpp"
#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

using End = Answer::End;
using test::point_of;

std::function<std::vector<Point>(const Request& request, std::span<const Measurement> known)> next_of_test;

constexpr FindingKind number_known{.name = "count"};
constexpr Curve moved_bytes{
    .name = "moved-bytes", .words = {.side = Side::gpu}, .varies = "memory, path", .title = "Moved", .unit = {"GB/s"}};

/// The latency probe with the points that a test wants, and a finding of how many are known.
Probe probe_of_test() {
  Probe probe = probes::latency;
  probe.next = [](const device::DeviceInfo&, const Request& request, std::span<const Measurement> known) {
    return next_of_test(request, known);
  };
  probe.conclude = [](const Request&, std::span<const Measurement> known) {
    return Conclusion{.findings = {{.kind = &number_known, .value = static_cast<double>(known.size())}}};
  };
  probe.stated = [](const device::DeviceInfo&, std::span<const Measurement>) { return std::vector<Finding>(); };
  return probe;
}

Point visited(Point point, int visits) {
  point.visits = visits;
  return point;
}

Point shaped(Point point, double groups) {
  point.shape = {{"groups", groups}};
  return point;
}

/// Three values of a visit.
Answer values_of(const Visit& visit, double value, const Shape& shape = {}) {
  Measurement one{.point = visit.point, .unit = "ns", .values = {value, value, value}};
  one.state.shape = shape;
  return {.measured = {.curves = {one}}};
}

Answer no_values(End end, const std::string& reason = "why") { return {.end = end, .reason = reason}; }

/// A visit's size, number and look.
struct Seen {
  double bytes;
  int number;
  Look look = Look::first;

  friend bool operator==(const Seen&, const Seen&) = default;
};

class ProbeRunTest : public testing::Test {
 protected:
  using Answering = std::function<Answer(const Visit& visit)>;

  ProbeRun& begin(std::vector<Point> points, Look closest = Look::first,
                  const Request& request = {.look = Look::first}) {
    next_of_test = [points = std::move(points)](const Request&, std::span<const Measurement>) { return points; };
    return begin(closest, request);
  }
  ProbeRun& begin(Look closest = Look::first, const Request& request = {.look = Look::first}) {
    run_.emplace(device, probe, request, closest, observer);
    return *run_;
  }

  /// Answers all that is wanted, and keeps it.
  std::vector<Seen> answer_all(const Answering& answer = [](const Visit& visit) { return values_of(visit, 10); }) {
    std::vector<Seen> seen;
    while (const Visit* const visit = run_->wanted()) {
      seen.push_back({visit->point.x.bytes.value_or(0), visit->number, visit->look});
      if (seen.size() > 1000) {
        ADD_FAILURE() << "it asks for ever";
        break;
      }
      run_->take(answer(*visit));
    }
    return seen;
  }
  double number_concluded() { return run_->conclude().findings.at(0).value.value(); }

  device::DeviceInfo device = {};
  Probe probe = probe_of_test();
  test::RecordingObserver observer;

 private:
  std::optional<ProbeRun> run_;
};

TEST_F(ProbeRunTest, WantsTheSameVisitUntilItIsAnswered) {
  ProbeRun& run = begin({point_of(1), point_of(2)});
  const Visit* const visit = run.wanted();
  ASSERT_NE(visit, nullptr);
  for (int again = 0; again < 3; ++again) {
    ASSERT_EQ(run.wanted(), visit);
    EXPECT_EQ(visit->point.x.bytes, 1);
    EXPECT_EQ(visit->number, 0);
  }
  run.take(values_of(*visit, 10));
  ASSERT_NE(run.wanted(), nullptr);
  EXPECT_EQ(run.wanted()->point.x.bytes, 2);
  run.take(values_of(*run.wanted(), 10));
  EXPECT_EQ(run.wanted(), nullptr);
  EXPECT_EQ(run.wanted(), nullptr);
}

TEST_F(ProbeRunTest, NewPointsComeBeforeFurtherVisitsAndThoseBeforeACloserLook) {
  next_of_test = [](const Request& request, std::span<const Measurement> known) {
    std::vector<Point> points{visited(point_of(1), 2), visited(point_of(2), 2)};
    if (known.size() >= 2) points.push_back(visited(point_of(3), 3));
    if (request.look != Look::first) points.push_back(visited(point_of(4), 2));
    if (request.look == Look::closest) points.push_back(point_of(5));
    return points;
  };
  begin(Look::closest);
  EXPECT_EQ(answer_all(), (std::vector<Seen>{{1, 0},
                                             {2, 0},
                                             {3, 0},
                                             {1, 1},
                                             {2, 1},
                                             {3, 1},
                                             {3, 2},
                                             {4, 0, Look::closer},
                                             {4, 1, Look::closer},
                                             {5, 0, Look::closest}}));
  begin(Look::closer);
  EXPECT_EQ(answer_all().size(), 9u);
  begin(Look::first);
  EXPECT_EQ(answer_all().size(), 7u);
}

TEST_F(ProbeRunTest, VisitsOfAPointAreKnownAsOneMeasurement) {
  const ProbeRun& run = begin({visited(point_of(1), 3), point_of(2)});
  EXPECT_EQ(answer_all([](const Visit& visit) { return values_of(visit, 10 + visit.number); }),
            (std::vector<Seen>{{1, 0}, {2, 0}, {1, 1}, {1, 2}}));
  ASSERT_EQ(run.known().size(), 2u);
  EXPECT_EQ(run.known()[0].values, (std::vector<double>{10, 10, 10, 11, 11, 11, 12, 12, 12}));
  EXPECT_EQ(run.known()[0].visits, (std::vector<std::size_t>{3, 3, 3}));
  EXPECT_EQ(observer.measurements.size(), 4u) << "each is reported at once";
  EXPECT_EQ(number_concluded(), 2);
}

TEST_F(ProbeRunTest, AProbeMayWantMoreVisitsLater) {
  next_of_test = [](const Request&, std::span<const Measurement> known) {
    return std::vector<Point>{visited(point_of(1), known.empty() ? 2 : 5)};
  };
  begin();
  EXPECT_EQ(answer_all().size(), 5u);
}

TEST_F(ProbeRunTest, AVisitThatIsDueAtOnceComesBeforeLaterPoints) {
  next_of_test = [](const Request& request, std::span<const Measurement> known) {
    Point again = visited(point_of(1), 3);
    again.visits_at_once = 2;
    return first_new_points(
        request, known, [] { return std::vector<Point>{visited(point_of(1), 3), point_of(2)}; },
        [&] { return std::vector<Point>{again, point_of(3)}; }, [] { return std::vector<Point>{point_of(4)}; });
  };
  begin();
  EXPECT_EQ(answer_all(), (std::vector<Seen>{{1, 0}, {2, 0}, {1, 1}, {3, 0}, {4, 0}, {1, 2}}));
  begin();
  EXPECT_EQ(answer_all([](const Visit& visit) {
              return visit.number == 1 ? Answer{.end = Answer::End::failed, .reason = "of this visit"}
                                       : values_of(visit, 10);
            }),
            (std::vector<Seen>{{1, 0}, {2, 0}, {1, 1}, {3, 0}, {4, 0}}))
      << "one that fails keeps nothing waiting";
}

TEST_F(ProbeRunTest, WhatWasVisitedLeastIsVisitedFirst) {
  next_of_test = [](const Request&, std::span<const Measurement> known) {
    const bool is_later = known.size() == 2 && known[1].visits.size() == 3;
    return std::vector<Point>{visited(point_of(1), is_later ? 3 : 1), visited(point_of(2), is_later ? 4 : 3)};
  };
  begin();
  EXPECT_EQ(answer_all(), (std::vector<Seen>{{1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 1}, {1, 2}, {2, 3}}));
}

TEST_F(ProbeRunTest, NumbersThatWereReachedMakeNoOtherPoint) {
  const ProbeRun& run = begin({visited(point_of(1), 2)});
  answer_all([](const Visit& visit) {
    Answer answer = values_of(visit, 10);
    answer.measured.curves[0].point.x.gpu_gbps = 100 + visit.number;
    return answer;
  });
  ASSERT_EQ(run.known().size(), 1u);
  EXPECT_EQ(run.known()[0].visits.size(), 2u);
  EXPECT_EQ(run.known()[0].point.x.gpu_gbps, 100);
}

TEST_F(ProbeRunTest, WhatIsSeenBesideAPointIsKnownToo) {
  const ProbeRun& run = begin({visited(point_of(1), 2)});
  answer_all([](const Visit& visit) {
    Answer answer = values_of(visit, 10);
    Measurement beside{.point = visit.point, .unit = "GB/s", .values = {7}};
    beside.point.curve = &moved_bytes;
    beside.point.words.side = Side::gpu;
    answer.measured.curves.push_back(beside);
    return answer;
  });
  ASSERT_EQ(run.known().size(), 2u);
  EXPECT_EQ(run.known()[1].point.curve, &moved_bytes);
  EXPECT_EQ(run.known()[1].values, (std::vector<double>{7, 7}));
}

TEST_F(ProbeRunTest, CyclesAreReportedAndNotShownToTheProbe) {
  const ProbeRun& run = begin({point_of(1)});
  answer_all([](const Visit& visit) {
    Answer answer = values_of(visit, 10);
    answer.measured.curves[0].state.core_clock = CoreClock{.mhz = 2500, .source = "shader-clock"};
    return answer;
  });
  ASSERT_EQ(observer.measurements.size(), 2u);
  EXPECT_EQ(observer.measurements[1].unit, "cycles");
  EXPECT_EQ(run.known().size(), 1u);
}

TEST_F(ProbeRunTest, FurtherVisitsAreMadeInTheShapeThatTheFirstOneFound) {
  begin({visited(point_of(1), 3), visited(shaped(point_of(2), 7), 2)});
  std::vector<Shape> asked;
  answer_all([&asked](const Visit& visit) {
    asked.push_back(visit.point.shape);
    return values_of(visit, 10, visit.point.shape.empty() ? Shape{{"groups", 5}} : visit.point.shape);
  });
  const Shape five{{"groups", 5}};
  const Shape seven{{"groups", 7}};
  EXPECT_EQ(asked, (std::vector<Shape>{{}, seven, five, seven, five}));
  for (const Measurement& one : observer.measurements)
    EXPECT_EQ(one.point.shape, one.point.x.bytes == 1 ? Shape{} : seven) << "a record has what was asked for";
}

TEST_F(ProbeRunTest, APointIsMeasuredOnceInEachShape) {
  const Point narrow = shaped(point_of(1), 1);
  const Point wide = shaped(point_of(1), 2);
  begin({narrow, wide, narrow});
  EXPECT_EQ(answer_all().size(), 2u);
  // A point without a shape is the size in its best shape, whichever that is.
  begin({point_of(1), narrow, point_of(2)});
  EXPECT_EQ(answer_all(), (std::vector<Seen>{{1, 0}, {2, 0}}));
}

TEST_F(ProbeRunTest, AProbeIsToldWhatItHasAskedForWhateverBecameOfIt) {
  // Each stage waits for those before it, in which nothing may be new for ever.
  next_of_test = [](const Request& request, std::span<const Measurement> known) {
    return first_new_points(
        request, known, [] { return std::vector{point_of(1), point_of(2)}; },
        [] { return std::vector{shaped(point_of(1), 3)}; }, [] { return std::vector{point_of(3)}; });
  };
  begin();
  EXPECT_EQ(answer_all([](const Visit& visit) {
              return visit.point.x.bytes == 2 ? no_values(End::failed) : values_of(visit, 10);
            }),
            (std::vector<Seen>{{1, 0}, {2, 0}, {3, 0}}));
}

TEST_F(ProbeRunTest, WorkThatIsTooShortForTheClockIsSkippedAndLargerSizesAreNot) {
  begin({visited(point_of(1), 2), visited(point_of(2), 2), visited(point_of(3), 2)});
  EXPECT_EQ(answer_all([](const Visit& visit) {
              return visit.point.x.bytes == 2 ? no_values(End::too_short) : values_of(visit, 10);
            }),
            (std::vector<Seen>{{1, 0}, {2, 0}, {3, 0}, {1, 1}, {3, 1}}));
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].point.value().x.bytes, 2);
  EXPECT_EQ(observer.skips[0].text, "why");
  EXPECT_TRUE(observer.failures.empty());
}

TEST_F(ProbeRunTest, ASizeThatDoesNotFitEndsItsCurve) {
  begin({point_of(1), point_of(8), point_of(4), point_of(2), point_of(4, Path::scalar), point_of(16)});
  EXPECT_EQ(answer_all([](const Visit& visit) {
              const bool fits = visit.point.words.path == Path::scalar || *visit.point.x.bytes < 4;
              return fits ? values_of(visit, 10) : no_values(End::unsupported);
            }),
            (std::vector<Seen>{{1, 0}, {8, 0}, {4, 0}, {2, 0}, {4, 0}}));
  EXPECT_EQ(observer.skips.size(), 2u);
  EXPECT_TRUE(observer.failures.empty());
  EXPECT_EQ(number_concluded(), 3);
}

TEST_F(ProbeRunTest, AVisitThatDoesNotFitAnyMoreLeavesWhatIsKnown) {
  const ProbeRun& run = begin({visited(point_of(1), 2), visited(point_of(4), 3)});
  EXPECT_EQ(answer_all([](const Visit& visit) {
              return visit.point.x.bytes == 4 && visit.number == 1 ? no_values(End::unsupported) : values_of(visit, 10);
            }),
            (std::vector<Seen>{{1, 0}, {4, 0}, {1, 1}, {4, 1}}));
  EXPECT_EQ(run.known().size(), 2u);
}

TEST_F(ProbeRunTest, AFailureCostsItsPointAlone) {
  ProbeRun& run = begin({visited(point_of(1), 2), visited(point_of(2), 2)});
  EXPECT_EQ(answer_all([](const Visit& visit) {
              return visit.point.x.bytes == 1 ? no_values(End::failed) : values_of(visit, 10);
            }),
            (std::vector<Seen>{{1, 0}, {2, 0}, {2, 1}}));
  run.end();
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.failures[0].point.value().x.bytes, 1);
  EXPECT_EQ(observer.failures[0].text, "why");
  EXPECT_TRUE(observer.skips.empty());
  EXPECT_FALSE(run.only_failed());
}

TEST_F(ProbeRunTest, ThreeFailuresInARowAreEnough) {
  ProbeRun& run = begin({point_of(1), point_of(2), point_of(3), point_of(4), point_of(5)}, Look::closest);
  EXPECT_EQ(answer_all([](const Visit&) { return no_values(End::failed); }).size(), 3u);
  run.end();
  // One record of what is wrong, and one of what was not measured for it.
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.failures[0].point.value().x.bytes, 1);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_FALSE(observer.skips[0].point);
  EXPECT_EQ(observer.skips[0].text, "given up after 3 failures in a row");
  EXPECT_TRUE(run.only_failed());
  EXPECT_FALSE(run.is_first_look()) << "nothing else may wait for it";
}

TEST_F(ProbeRunTest, ReasonsThatDifferAreAllTold) {
  begin({point_of(1024), point_of(2048), point_of(4096)});
  answer_all([](const Visit& visit) {
    return no_values(End::failed, visit.point.x.bytes == 1024 ? "failure 1" : "failure 2");
  });
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.failures[0].text, "failure 1");
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].text, "given up after 3 failures in a row; at latency device vector 2 KiB: failure 2");
}

TEST_F(ProbeRunTest, FailuresBeforeASuccessAreToldEach) {
  ProbeRun& run = begin({point_of(1), point_of(2), point_of(3)});
  answer_all(
      [](const Visit& visit) { return *visit.point.x.bytes < 3 ? no_values(End::failed) : values_of(visit, 10); });
  run.end();
  ASSERT_EQ(observer.failures.size(), 2u);
  EXPECT_EQ(observer.failures[1].point.value().x.bytes, 2);
  EXPECT_TRUE(observer.skips.empty());
}

TEST_F(ProbeRunTest, FailuresThatAreNotInARowDoNotAddUp) {
  ProbeRun& run = begin({point_of(1), point_of(2), point_of(3), point_of(4), point_of(5), point_of(6), point_of(7)});
  answer_all([](const Visit& visit) {
    return static_cast<int>(*visit.point.x.bytes) % 2 == 1 ? no_values(End::failed) : values_of(visit, 10);
  });
  run.end();
  EXPECT_EQ(observer.failures.size(), 4u);
  EXPECT_EQ(run.known().size(), 3u);
}

TEST_F(ProbeRunTest, WhereAllOfAFewFailedOneLineSaysSo) {
  ProbeRun& run = begin({point_of(1), point_of(2)});
  answer_all([](const Visit&) { return no_values(End::failed); });
  run.end();
  EXPECT_EQ(observer.failures.size(), 1u);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].text, "nothing was measured, as all points failed");
  EXPECT_TRUE(run.only_failed());
}

TEST_F(ProbeRunTest, AWorkerThatDiesCostsTheVisitItWasAt) {
  ProbeRun& run = begin({visited(point_of(1), 2), visited(point_of(2), 2)});
  EXPECT_EQ(answer_all([](const Visit& visit) {
              return visit.point.x.bytes == 1 && visit.number == 1 ? no_values(End::lost, "crashed")
                                                                   : values_of(visit, 10);
            }),
            (std::vector<Seen>{{1, 0}, {2, 0}, {1, 1}, {2, 1}}));
  run.end();
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.failures[0].point.value().x.bytes, 1);
  EXPECT_EQ(observer.failures[0].text, "crashed");
  EXPECT_TRUE(observer.skips.empty());
  EXPECT_EQ(number_concluded(), 2) << "its first visit is known";
}

TEST_F(ProbeRunTest, ThreeDeathsEndACurveAndTheOthersGoOn) {
  std::vector<Point> points;
  for (int bytes = 1; bytes <= 6; ++bytes) {
    points.push_back(point_of(bytes, Path::scalar));
    points.push_back(visited(point_of(bytes), 2));
  }
  ProbeRun& run = begin(points, Look::closest);
  std::vector<Path> asked;
  answer_all([&](const Visit& visit) {
    EXPECT_EQ(observer.skips.size(), observer.failures.size() < 3 ? 0u : 1u);
    asked.push_back(visit.point.words.path.value());
    return asked.back() == Path::scalar ? no_values(End::lost, "crashed") : values_of(visit, 10);
  });
  run.end();
  EXPECT_EQ(std::ranges::count(asked, Path::scalar), 3);
  EXPECT_EQ(std::ranges::count(asked, Path::vector), 12);
  EXPECT_EQ(observer.failures.size(), 3u);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].point.value().words.path, Path::scalar);
  EXPECT_EQ(observer.skips[0].point->x, Coordinates{}) << "it is said of the curve";
  EXPECT_NE(observer.skips[0].text.find("again and again"), std::string::npos) << observer.skips[0].text;
  EXPECT_EQ(number_concluded(), 6);
}

TEST_F(ProbeRunTest, WhatScattersIsVisitedUntilItIsKnownOrHasHadMostVisits) {
  const auto values = [](const Visit& visit) {
    // One is the same each time, one settles, and one never agrees.
    const double off = visit.number % 2 == 0 ? 1 : 1.2;
    const double value = visit.point.x.bytes == 1 ? 10 : visit.point.x.bytes == 2 && visit.number > 1 ? 11 : 10 * off;
    return values_of(visit, value);
  };
  std::map<double, int> visits;
  begin({point_of(1), point_of(2), point_of(3)}).also_visit_what_scatters();
  for (const Seen& seen : answer_all(values)) ++visits[seen.bytes];
  EXPECT_EQ(visits[1], 2) << "one visit alone says nothing of another run";
  EXPECT_GT(visits[2], 2);
  EXPECT_LE(visits[2], most_visits);
  EXPECT_EQ(visits[3], most_visits);
  begin({point_of(1), point_of(2), point_of(3)});
  EXPECT_EQ(answer_all(values).size(), 3u) << "it goes on only where it is told to";
}

TEST_F(ProbeRunTest, CloserLooksComeBeforeWhatScatters) {
  next_of_test = [](const Request& request, std::span<const Measurement>) {
    std::vector<Point> points{visited(point_of(1), 2)};
    if (request.look == Look::closest) points.push_back(point_of(2));
    return points;
  };
  begin(Look::closest).also_visit_what_scatters();
  const std::vector<Seen> seen =
      answer_all([](const Visit& visit) { return values_of(visit, visit.number % 2 == 0 ? 10 : 20); });
  ASSERT_EQ(seen.size(), 2u * most_visits);
  EXPECT_EQ(seen[1], (Seen{1, 1}));
  EXPECT_EQ(seen[2], (Seen{2, 0, Look::closest}));
  EXPECT_EQ(seen[3], (Seen{2, 1, Look::closest})) << "what was visited least comes first";
}

TEST_F(ProbeRunTest, AFirstLookIsTheFirstPointsOnce) {
  next_of_test = [](const Request&, std::span<const Measurement> known) {
    std::vector<Point> points{visited(point_of(1), 2), visited(point_of(8), 2), visited(point_of(16), 2)};
    if (!known.empty()) points.push_back(point_of(2));
    return points;
  };
  ProbeRun& run = begin(Look::closest);
  EXPECT_TRUE(run.is_first_look());
  std::vector<bool> first;
  answer_all([&](const Visit& visit) {
    first.push_back(run.is_first_look());
    return visit.point.x.bytes == 8 ? no_values(End::unsupported) : values_of(visit, 10);
  });
  EXPECT_EQ(first, (std::vector<bool>{true, true, false, false})) << "the third is not measured, as it cannot fit";
  EXPECT_FALSE(run.is_first_look());
}

TEST_F(ProbeRunTest, WhereNothingIsWantedThereIsNoFirstLook) {
  ProbeRun& run = begin(std::vector<Point>{});
  EXPECT_EQ(run.wanted(), nullptr);
  EXPECT_FALSE(run.is_first_look());
  run.end();
  EXPECT_EQ(number_concluded(), 0);
  EXPECT_TRUE(observer.skips.empty());
}

TEST_F(ProbeRunTest, ARunThatEndsAnywhereConcludesFromWhatThereIs) {
  for (int answered = 0; answered <= 3; ++answered) {
    observer = {};
    ProbeRun& run = begin({visited(point_of(1), 2), point_of(2), point_of(3)}, Look::closest);
    for (int visit = 0; visit < answered; ++visit) run.take(values_of(*run.wanted(), 10));
    if (answered > 0) {
      EXPECT_NE(run.wanted(), nullptr) << "the one that is cut off";
    }
    run.end();
    EXPECT_EQ(number_concluded(), answered);
    EXPECT_TRUE(observer.skips.empty() && observer.failures.empty());
  }
}

TEST_F(ProbeRunTest, ARunThatEndsInARowOfFailuresTellsThemEach) {
  ProbeRun& run = begin({point_of(1), point_of(2), point_of(3), point_of(4)});
  run.take(values_of(*run.wanted(), 10));
  for (int visit = 0; visit < 2; ++visit) run.take((run.wanted(), no_values(End::failed)));
  EXPECT_EQ(observer.failures.size(), 1u);
  run.end();
  EXPECT_EQ(observer.failures.size(), 2u);
  EXPECT_TRUE(observer.skips.empty());
}

TEST_F(ProbeRunTest, ConcludingReportsNothingAndAReportIsOfWhatItIsHanded) {
  ProbeRun& run = begin({point_of(1)});
  answer_all();
  (void)run.conclude();
  (void)run.conclude();
  EXPECT_TRUE(observer.findings.empty());
  Measurement derived{.point = point_of(7), .unit = "GB/s", .values = {1}};
  run.report({.levels = {{.level = 5}},
              .findings = {{.kind = &number_known, .value = 3}},
              .without_levels = {{.words = {.path = Path::scalar}, .reason = "why not"}},
              .derived = {derived}});
  ASSERT_EQ(observer.levels.size(), 1u);
  EXPECT_EQ(observer.levels[0].level, 5);
  ASSERT_EQ(observer.findings.size(), 1u);
  EXPECT_EQ(observer.findings[0].value, 3);
  EXPECT_EQ(observer.measurements.back().unit, "GB/s");
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].point.value().words, (Words{.path = Path::scalar}));
  EXPECT_EQ(observer.skips[0].point->x, Coordinates{});
  EXPECT_EQ(observer.skips[0].text, "why not");
}

TEST_F(ProbeRunTest, WhatADeviceStatesIsConcludedToo) {
  probe.stated = [](const device::DeviceInfo&, std::span<const Measurement> known) {
    return std::vector<Finding>{{.kind = &number_known, .value = 100 + static_cast<double>(known.size())}};
  };
  const ProbeRun& run = begin({point_of(1)});
  answer_all();
  const Conclusion conclusion = run.conclude();
  ASSERT_EQ(conclusion.findings.size(), 2u);
  EXPECT_EQ(conclusion.findings[1].value, 101);
}

TEST_F(ProbeRunTest, SizesThatLeaveNothingToMeasureAreASkipThatNamesThoseThereAre) {
  next_of_test = [](const Request& request, std::span<const Measurement>) {
    std::vector<Point> points;
    for (const double bytes : {4096.0, 1048576.0}) {
      if (is_asked_for(request, bytes)) points.push_back(point_of(bytes));
    }
    if (!request.smallest_bytes && !request.largest_bytes) points.push_back(point_of(4));
    return points;
  };
  const auto skips = [&](std::optional<std::uint64_t> least, std::optional<std::uint64_t> most, bool is_asked = true) {
    observer = {};
    ProbeRun& run = begin(Look::closest, {.look = Look::first, .smallest_bytes = least, .largest_bytes = most});
    if (is_asked) answer_all();
    run.end();
    return observer.skips;
  };
  for (const auto& all : {skips(8192, 16384), skips(2u << 20, std::nullopt), skips(std::nullopt, 64)}) {
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all.front().point);
    EXPECT_NE(all.front().text.find("4 KiB to 1 MiB"), std::string::npos) << all.front().text;
  }
  EXPECT_TRUE(skips(std::nullopt, 4096).empty());
  EXPECT_TRUE(skips(8192, 16384, false).empty()) << "a run that was cut off before it never asked";
}

TEST_F(ProbeRunTest, MakesAVisitThatAnotherAsksForBesideItsOwn) {
  ProbeRun& run = begin({visited(point_of(1), 2), point_of(2)});
  ASSERT_EQ(run.wanted()->point.x.bytes, 1);
  const Visit* visit = run.make_too(point_of(7), Look::closer);
  ASSERT_NE(visit, nullptr);
  EXPECT_EQ(visit->point.x.bytes, 7);
  EXPECT_EQ(visit->number, 0);
  EXPECT_EQ(visit->look, Look::closer);
  run.take(values_of(*visit, 10));
  // What is asked for from outside counts as a visit of the plan.
  visit = run.make_too(point_of(2), Look::first);
  ASSERT_NE(visit, nullptr);
  run.take(values_of(*visit, 10));
  const std::vector<Seen> own = answer_all();
  EXPECT_EQ(own, (std::vector<Seen>{{1, 0}, {1, 1}}));
  EXPECT_EQ(number_concluded(), 3);
}

TEST_F(ProbeRunTest, LeavesOutForAnotherWhatItLeavesOutForItself) {
  ProbeRun& run = begin({point_of(1)});
  ASSERT_NE(run.make_too(point_of(8), Look::first), nullptr);
  run.take(no_values(End::unsupported));
  EXPECT_EQ(run.make_too(point_of(9), Look::first), nullptr)
      << "a device that cannot do one size cannot do larger ones";
  EXPECT_NE(run.make_too(point_of(4), Look::first), nullptr);
}

}  // namespace
}  // namespace sonde::measure
