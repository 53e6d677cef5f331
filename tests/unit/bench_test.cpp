// Visits that a bench has made in worker processes: this program's own, whose workers misbehave as a test wants it.

#include "session/bench.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "session/inquiry.hpp"
#include "session/worker.hpp"
#include "support/fake_tree.hpp"
#include "support/own_worker.hpp"
#include "support/walk_workload.hpp"

namespace sonde::session {
namespace {

using namespace std::chrono_literals;
using device::Api;
using measure::Answer;
using measure::NextLine;
using measure::SendLine;
using test::point_of;
using End = Answer::End;

constexpr const char* little_model =
    R"({"name": "little", "memory_bytes": 16777216,
        "levels": [{"name": "L1", "bytes": 16384, "latency_ns": 40}, {"name": "DRAM", "latency_ns": 300}]})";

// The worker's side.

[[noreturn]] void die() { std::_Exit(9); }

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(1s);
}

void say(const SendLine& send, const records::Line& line) { send(records::text_of(line)); }

void open_at_once(const SendLine& send) {
  device::DeviceInfo info;
  info.name = "a device";
  say(send, records::InfoLine{info, true});
}

/// Answers a visit with its point and three values.
void echo(const std::string& text, const SendLine& send, std::optional<double> simulated_seconds = {}) {
  const auto asked = std::get<records::VisitLine>(records::parse_line(text).value());
  say(send, records::AliveLine{});
  say(send, records::SampleLine{asked.origin, {.point = asked.visit.point, .unit = "ns", .values = {1, 2, 3}}});
  say(send, records::AnswerLine{.simulated_seconds = simulated_seconds});
}

/// Whether no other worker of the test came before.
bool is_first_to_come(const records::MeasureTask& task) {
  return std::filesystem::create_directory(std::filesystem::path(task.sysfs_root) / "a worker came");
}
bool is_first = false;

struct Behaviour {
  std::function<void(const records::MeasureTask& task, const SendLine& send)> open = [](const auto&, const auto& send) {
    open_at_once(send);
  };
  std::function<void(const std::string& text, const SendLine& send)> visit = [](const auto& text, const auto& send) {
    echo(text, send);
  };
};

/// By the names that tests give their devices.
const std::map<std::string, Behaviour>& behaviours() {
  static const std::map<std::string, Behaviour> all{
      {"echoes", {}},
      {"takes a second for each byte",
       {.visit =
            [](const auto& text, const auto& send) {
              const auto asked = std::get<records::VisitLine>(records::parse_line(text).value());
              echo(text, send, asked.visit.point.x.bytes);
            }}},
      {"dies after each answer",
       {.visit =
            [](const auto& text, const auto& send) {
              echo(text, send);
              die();
            }}},
      {"dies before its first answer",
       {.open =
            [](const auto& task, const auto& send) {
              is_first = is_first_to_come(task);
              open_at_once(send);
            },
        .visit =
            [](const auto& text, const auto& send) {
              if (!is_first) return echo(text, send);
              const auto asked = std::get<records::VisitLine>(records::parse_line(text).value());
              say(send, records::SampleLine{asked.origin, {.point = asked.visit.point, .unit = "ns", .values = {7}}});
              std::fputs("a driver's last words\n", stderr);
              die();
            }}},
      {"hangs", {.visit = [](const auto&, const auto&) { hang(); }}},
      {"hangs while it opens", {.open = [](const auto&, const auto&) { hang(); }}},
      {"fails",
       {.visit =
            [](const auto&, const auto& send) {
              say(send, records::AnswerLine{.end = End::failed, .reason = "out of order"});
            }}},
      {"is lost",
       {.visit = [](const auto&,
                    const auto& send) { say(send, records::AnswerLine{.end = End::lost, .reason = "gone"}); }}},
      {"is not there",
       {.open =
            [](const auto&, const auto& send) {
              say(send, records::AnswerLine{.end = End::unsupported, .reason = "there is no such device"});
            }}},
      {"dies while it opens", {.open = [](const auto&, const auto&) { die(); }}},
      {"dies while it first opens",
       {.open =
            [](const auto& task, const auto& send) {
              if (is_first_to_come(task)) die();
              open_at_once(send);
            }}},
      {"says more",
       {.visit =
            [](const auto& text, const auto& send) {
              say(send, records::ErrorLine{{{"gpu", "model", ""}, std::nullopt, "something is amiss"}});
              say(send, records::CounterLine{.source = "a source"});
              send("no record");
              echo(text, send);
            }}},
  };
  return all;
}

void work_of_test(const NextLine& next, const SendLine& send) {
  const auto task = std::get<records::MeasureTask>(records::parse_task(next().value()).value());
  const auto behaviour = behaviours().find(task.device);
  if (behaviour == behaviours().end()) return do_task(task, next, send);
  behaviour->second.open(task, send);
  while (const auto line = next()) behaviour->second.visit(*line, send);
}

const bool is_a_worker_when_asked = [] {
  test::be_own_worker = [] { measure::be_a_worker(work_of_test); };
  return true;
}();

// The bench's side.

measure::Visit visit_of(double bytes, int number = 0) { return {.point = point_of(bytes), .number = number}; }

class BenchTest : public testing::Test {
 protected:
  std::shared_ptr<Bench> bench(const std::string& device, std::chrono::milliseconds longest_silence = 60s,
                               std::chrono::milliseconds time = 1h) {
    const records::MeasureTask task{.api = api,
                                    .device = device,
                                    .model = little_model,
                                    .run_start = std::chrono::steady_clock::now(),
                                    .sysfs_root = tree.root().string()};
    return std::make_shared<Bench>(task, BenchSupport{.longest_silence = longest_silence,
                                                      .latest_end = os::RunningClock::now() + time,
                                                      .tick = [this] { ++ticks; },
                                                      .diagnostics = [this](auto text) { diagnostics += text; },
                                                      .keep = [this](const auto& line) { kept.push_back(line); },
                                                      .next_process = [this] { return processes++; }});
  }

  test::FakeTree tree;
  Api api = Api::model;
  int processes = 0;
  int ticks = 0;
  std::string diagnostics;
  std::vector<records::Line> kept;
};

TEST_F(BenchTest, AVisitIsMadeOnTheDeviceThatWasOpenedForIt) {
  const auto one = bench("little");
  ASSERT_TRUE(is_a_worker_when_asked);
  EXPECT_EQ(processes, 0) << "it is opened when it is first needed";
  const records::InfoLine* const opened = one->open();
  ASSERT_NE(opened, nullptr) << one->why_closed().reason;
  EXPECT_EQ(opened->info.name, "little");
  for (int number = 0; number < 2; ++number) {
    const auto answer = one->make(probes::latency, visit_of(8192, number));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->end, End::measured) << answer->reason;
    ASSERT_EQ(answer->measured.curves.size(), 1u);
    const measure::Measurement& found = answer->measured.curves[0];
    EXPECT_EQ(found.point.curve, &probes::latency_probe::cycle);
    EXPECT_EQ(measure::key_of(found.point), measure::key_of(point_of(8192)));
    EXPECT_NEAR(measure::median_of(found), 40, 0.5);
  }
  EXPECT_EQ(one->process(), 0);
  EXPECT_EQ(processes, 1);
  EXPECT_EQ(one->open(), opened) << "it stays open";
  EXPECT_TRUE(kept.empty());
}

TEST_F(BenchTest, TimeIsTheDevicesOwnWhereItIsSimulated) {
  const auto simulated = bench("takes a second for each byte");
  (void)simulated->make(probes::latency, visit_of(8192));
  (void)simulated->make(probes::latency, visit_of(4096));
  EXPECT_DOUBLE_EQ(simulated->seconds(), 8192 + 4096);
  EXPECT_LT(simulated->waited_seconds(), 1000);
  EXPECT_GT(simulated->waited_seconds(), 0);
  api = Api::opencl;
  const auto real = bench("echoes");
  ASSERT_NE(real->open(), nullptr);
  const double opening = real->seconds();
  EXPECT_GT(opening, 0) << "opening a real one takes of the budget";
  (void)real->make(probes::latency, visit_of(8192));
  EXPECT_GT(real->seconds(), opening);
  EXPECT_NEAR(real->seconds(), real->waited_seconds(), 1e-9);
}

TEST_F(BenchTest, NumbersComeBackAsTheyWereAskedFor) {
  measure::Visit visit = visit_of(8192);
  visit.point.x.load = 1.0 / 3;
  visit.point.x.bytes = 12345678;
  const auto answer = bench("echoes")->make(probes::latency, visit);
  ASSERT_TRUE(answer && answer->measured.curves.size() == 1u);
  EXPECT_EQ(answer->measured.curves[0].point.x, visit.point.x);
  EXPECT_EQ(answer->measured.curves[0].values, (std::vector<double>{1, 2, 3}));
}

TEST_F(BenchTest, AWorkerThatDiedBetweenTwoVisitsCostsOneAndAnotherGoesOn) {
  const auto one = bench("dies after each answer");
  const auto first = one->make(probes::latency, visit_of(4096));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->end, End::measured);
  EXPECT_EQ(one->process(), 0);
  const auto second = one->make(probes::latency, visit_of(8192));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->end, End::lost);
  EXPECT_NE(second->reason.find("status 9"), std::string::npos) << second->reason;
  EXPECT_NE(second->reason.find("latency device vector 8 KiB"), std::string::npos) << second->reason;
  EXPECT_TRUE(second->measured.curves.empty());
  const auto third = one->make(probes::latency, visit_of(16384));
  ASSERT_TRUE(third);
  EXPECT_EQ(third->end, End::measured);
  EXPECT_EQ(one->process(), 1);
}

TEST_F(BenchTest, WhatADyingWorkerHadMeasuredIsNoAnswer) {
  const auto one = bench("dies before its first answer");
  const auto answer = one->make(probes::latency, visit_of(4096));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, End::lost);
  EXPECT_TRUE(answer->measured.curves.empty());
  EXPECT_NE(answer->reason.find("a driver's last words"), std::string::npos) << answer->reason;
  EXPECT_EQ(diagnostics, "a driver's last words\n");
  const auto next = one->make(probes::latency, visit_of(8192));
  ASSERT_TRUE(next);
  ASSERT_EQ(next->measured.curves.size(), 1u) << "nor is it one of the next";
  EXPECT_EQ(next->measured.curves[0].point.x.bytes, 8192);
}

TEST_F(BenchTest, AWorkerThatHangsIsReplaced) {
  const auto one = bench("hangs", 300ms);
  for (int process = 0; process < 2; ++process) {
    const auto answer = one->make(probes::latency, visit_of(4096));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->end, End::lost);
    EXPECT_NE(answer->reason.find("reported nothing for 0.3 s"), std::string::npos) << answer->reason;
    EXPECT_EQ(one->process(), process);
  }
  EXPECT_GT(ticks, 0);
}

TEST_F(BenchTest, AVisitThatTheRunsEndCutsOffHasNoAnswer) {
  EXPECT_FALSE(bench("hangs", 60s, 300ms)->make(probes::latency, visit_of(4096)));
  const auto opening = bench("hangs while it opens", 60s, 300ms);
  EXPECT_EQ(opening->open(), nullptr);
  EXPECT_EQ(opening->why_closed().reason, "") << "nothing is wrong with it";
  EXPECT_FALSE(bench("hangs while it opens", 60s, 300ms)->make(probes::latency, visit_of(4096)));
}

TEST_F(BenchTest, ADriverThatSaysNoIsAskedOnce) {
  const auto one = bench("is not there");
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(one->open(), nullptr);
    EXPECT_EQ(one->why_closed().end, End::unsupported);
    EXPECT_EQ(one->why_closed().reason, "there is no such device");
    const auto answer = one->make(probes::latency, visit_of(4096));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->end, End::unsupported);
  }
  EXPECT_EQ(processes, 1);
}

TEST_F(BenchTest, ADeathWhileItOpensIsTriedOnceMore) {
  const auto once = bench("dies while it first opens");
  EXPECT_NE(once->open(), nullptr);
  EXPECT_EQ(once->process(), 1);
  processes = 0;
  const auto always = bench("dies while it opens");
  for (int again = 0; again < 5; ++again) EXPECT_EQ(always->open(), nullptr);
  EXPECT_EQ(processes, 2);
  EXPECT_EQ(always->why_closed().end, End::lost);
  EXPECT_NE(always->why_closed().reason.find("before its first point"), std::string::npos)
      << always->why_closed().reason;
}

TEST_F(BenchTest, ALostDeviceAndThreeFailuresInARowGetAnotherProcess) {
  const auto lost = bench("is lost");
  for (int process = 0; process < 2; ++process) {
    const auto answer = lost->make(probes::latency, visit_of(4096));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->end, End::lost);
    EXPECT_EQ(answer->reason, "gone");
    EXPECT_EQ(lost->process(), process);
  }
  processes = 0;
  const auto fails = bench("fails");
  std::vector<int> by_process;
  for (int visit = 0; visit < 5; ++visit) {
    EXPECT_EQ(fails->make(probes::latency, visit_of(4096)).value().end, End::failed);
    by_process.push_back(fails->process());
  }
  EXPECT_EQ(by_process, (std::vector<int>{0, 0, 0, 1, 1}));
}

TEST_F(BenchTest, FurtherVisitsAreMadeInAnotherProcessWhereOneIsCheap) {
  api = Api::opencl;
  const auto real = bench("takes a second for each byte");
  std::vector<int> by_process;
  for (const measure::Visit& visit :
       {visit_of(4096), visit_of(8192), visit_of(1, 1), visit_of(1, 1), visit_of(4096, 1), visit_of(1, 2)}) {
    (void)real->make(probes::latency, visit);
    by_process.push_back(real->process());
  }
  EXPECT_EQ(by_process, (std::vector<int>{0, 0, 1, 1, 1, 2}))
      << "first visits are no reason, nor is a process begun now";
  api = Api::model;
  processes = 0;
  const auto simulated = bench("takes a second for each byte");
  for (int number = 0; number < 3; ++number) (void)simulated->make(probes::latency, visit_of(4096, number));
  EXPECT_EQ(processes, 1) << "processes of a simulated device are all alike";
}

TEST_F(BenchTest, WhatAWorkerNotesIsKept) {
  const auto answer = bench("says more")->make(probes::latency, visit_of(4096));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, End::measured);
  EXPECT_EQ(answer->measured.curves.size(), 1u);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(std::get<records::ErrorLine>(kept[0]).reason, "something is amiss");
  EXPECT_EQ(std::get<records::CounterLine>(kept[1]).source, "a source");
}

/// One probe of a bench's device, and the lines that it leaves.
class InquiryTest : public BenchTest {
 protected:
  std::unique_ptr<Inquiry> inquiry(const std::shared_ptr<Bench>& of, measure::Request request = {}) {
    request.look = measure::Look::first;
    target.record.id = "gpu";
    auto observer =
        std::make_unique<LineObserver>("gpu", Api::model, os::RunningClock::now(), [of] { return of->process(); });
    return std::make_unique<Inquiry>(target, Api::model, probe, request, of, std::move(observer));
  }
  void begin(Inquiry& one) {
    one.begin([this](const records::Line& line) { lines.push_back(line); });
  }

  TargetDevice target = {.record = {}, .model_text = little_model};
  measure::Probe probe = probes::latency;
  std::vector<records::Line> lines;
};

TEST_F(InquiryTest, ADeviceThatCannotBeOpenedIsSaidOnceAndNothingIsWanted) {
  const auto refused = inquiry(bench("is not there"));
  EXPECT_FALSE(refused->has_begun());
  begin(*refused);
  EXPECT_TRUE(refused->has_begun());
  EXPECT_FALSE(refused->candidate());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(std::get<records::SkipLine>(lines[0]).reason, "there is no such device");
  EXPECT_EQ(std::get<records::SkipLine>(lines[0]).origin, (records::Origin{"gpu", "model", "latency"}));
  begin(*inquiry(bench("dies while it opens")));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<records::ErrorLine>(lines[1]));
  begin(*inquiry(bench("hangs while it opens", 60s, 300ms)));
  EXPECT_EQ(lines.size(), 2u) << "the run's end is no error";
}

TEST_F(InquiryTest, AnObstacleIsASkip) {
  probe.obstacle = [](const device::DeviceInfo& device) { return std::optional("in the way of " + device.name); };
  const auto one = inquiry(bench("echoes"));
  begin(*one);
  EXPECT_FALSE(one->candidate());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(std::get<records::SkipLine>(lines[0]).reason, "in the way of a device");
}

TEST_F(InquiryTest, VisitsLeaveSamplesAndItsFirstLookEnds) {
  const auto one = inquiry(bench("little"), {.smallest_bytes = 4096, .largest_bytes = 65536});
  begin(*one);
  int first = 0;
  for (auto candidate = one->candidate(); candidate && candidate->is_first_look; candidate = one->candidate()) {
    EXPECT_FALSE(one->next_name().empty());
    ASSERT_TRUE(one->go_on());
    ASSERT_LT(++first, 1000);
  }
  EXPECT_GT(first, 4);
  const auto samples = std::ranges::count_if(lines, [](const auto& line) {
    const auto* const sample = std::get_if<records::SampleLine>(&line);
    return sample != nullptr && records::is_point(*sample);
  });
  EXPECT_EQ(samples, first);
  const auto later = one->candidate();
  ASSERT_TRUE(later);
  EXPECT_GT(later->seconds_spent, 0);
  EXPECT_GT(later->seconds_of_next, 0);
  EXPECT_GT(later->doubt, 0);
}

TEST_F(InquiryTest, AfterAnyVisitWhatIsKnownCanBeReportedAndItGoesOn) {
  const auto one = inquiry(bench("little"), {.smallest_bytes = 4096, .largest_bytes = 65536});
  begin(*one);
  std::set<std::size_t> levels;
  for (int visits = 0; visits < 40 && one->candidate(); ++visits) {
    one->conclude();
    std::vector<records::Line> found;
    one->report([&found](const records::Line& line) { found.push_back(line); });
    for (const records::Line& line : found) EXPECT_FALSE(std::holds_alternative<records::ErrorLine>(line));
    levels.insert(static_cast<std::size_t>(std::ranges::count_if(
        found, [](const auto& line) { return std::holds_alternative<records::LevelLine>(line); })));
    const std::size_t before = lines.size();
    const std::size_t reported = found.size();
    ASSERT_TRUE(one->go_on());
    EXPECT_GT(lines.size(), before) << "what is measured after a report goes where it went before";
    EXPECT_EQ(found.size(), reported);
  }
  EXPECT_TRUE(levels.contains(0)) << "of one point no level is read";
  EXPECT_GE(*levels.rbegin(), 2u);
}

}  // namespace
}  // namespace sonde::session
