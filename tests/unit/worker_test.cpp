#include "measure/worker.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace sonde::measure {
namespace {

using namespace std::chrono_literals;
using How = WorkerEnd::How;

/// Long enough that no test ends by it unless it wants to, however slow the machine.
constexpr auto patient = 60s;

class WorkerTest : public testing::Test {
 protected:
  WorkerEnd work(const std::string& task, std::chrono::milliseconds silence_limit = patient) {
    return run_worker(double_told(task),
                      {.line =
                           [this](std::string_view line) {
                             lines.emplace_back(line);
                             if (lines.size() == interrupt_after_lines) interrupted = true;
                           },
                       .tick = [this] { ++ticks; },
                       .diagnostics = [this](std::string_view text) { diagnostics += text; }},
                      silence_limit, interrupted);
  }

  /// The command that has tests/support/worker_double.cpp do what it does under that name.
  static WorkerCommand double_told(const std::string& task) {
    return {.program = WORKER_DOUBLE, .arguments = {}, .task = task};
  }

  std::vector<std::string> lines;
  std::string diagnostics;
  int ticks = 0;
  std::size_t interrupt_after_lines = 0;
  std::atomic<bool> interrupted = false;
};

/// Or until it has ended. One whose pipe is full sleeps; proc(5) has the state after the name in brackets.
void wait_until_it_sleeps(pid_t process) {
  for (;;) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    const bool gone = !std::getline(file, text) || text.find(") Z ") != std::string::npos;
    if (gone || text.find(") S ") != std::string::npos) return;
    sched_yield();
  }
}

TEST_F(WorkerTest, LinesArriveInOrder) {
  const WorkerEnd end = work("a thousand lines");
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(end.reason, "");
  ASSERT_EQ(lines.size(), 1000u);
  for (std::size_t line = 0; line < lines.size(); ++line) EXPECT_EQ(lines[line], "line " + std::to_string(line));
}

/// A worker that is asked and answers, whose lines are kept.
class AskedWorker : public WorkerTest {
 protected:
  std::unique_ptr<Worker> worker(const std::string& task, std::chrono::milliseconds silence_limit = patient) {
    return std::make_unique<Worker>(double_told(task),
                                    WorkerHandlers{.line = [this](std::string_view line) { lines.emplace_back(line); },
                                                   .tick = [this] { ++ticks; },
                                                   .diagnostics = {}},
                                    silence_limit, interrupted);
  }
  /// Waits for one line more.
  bool answers(Worker& worker, Worker::Clock::time_point latest = Worker::Clock::time_point::max()) {
    return worker.wait([this, before = lines.size()] { return lines.size() > before; }, latest);
  }
};

TEST_F(AskedWorker, LinesGoBothWaysUntilNoMoreAreSent) {
  const auto asked = worker("answer each line");
  for (const char* question : {"one", "two"}) {
    asked->send(question);
    EXPECT_TRUE(answers(*asked));
    EXPECT_EQ(lines.back(), std::string("answer to ") + question);
  }
  const std::string longest(1 << 20, 'z');
  asked->send(longest);
  EXPECT_TRUE(answers(*asked));
  EXPECT_TRUE(lines.back() == "answer to " + longest);
  asked->send_no_more();
  EXPECT_FALSE(asked->wait([] { return false; }));
  EXPECT_EQ(asked->end().how, How::finished);
  EXPECT_EQ(lines.back(), "nothing more was asked");
}

TEST_F(AskedWorker, DriversFindNothingToReadAndTakeNoLine) {
  const auto asked = worker("read as a driver would");
  asked->send("one");
  asked->send_no_more();
  EXPECT_FALSE(asked->wait([] { return false; }));
  EXPECT_EQ(lines, (std::vector<std::string>{"it read 0", "answer to one"}));
}

TEST_F(AskedWorker, SilenceIsTheTimeInWhichSomethingIsExpected) {
  const auto asked = worker("answer each line", 500ms);
  asked->send("one");
  EXPECT_TRUE(answers(*asked));
  std::this_thread::sleep_for(700ms);
  asked->send("two");
  EXPECT_TRUE(answers(*asked)) << asked->end().reason;
}

TEST_F(AskedWorker, OneThatDiedMeanwhileIsFoundDeadWhenItIsAskedAgain) {
  const auto asked = worker("answer and die");
  asked->send("one");
  EXPECT_TRUE(answers(*asked));
  for (int question = 0; question < 3; ++question) {
    asked->send("two");
    EXPECT_FALSE(answers(*asked));
    EXPECT_EQ(asked->end().how, How::crashed);
    EXPECT_NE(asked->end().reason.find("signal 9"), std::string::npos) << asked->end().reason;
  }
}

TEST_F(AskedWorker, TheRunsEndIsNoFaultOfIts) {
  const auto asked = worker("say something and hang");
  EXPECT_TRUE(answers(*asked));
  EXPECT_FALSE(answers(*asked, Worker::Clock::now() + 200ms));
  EXPECT_EQ(asked->end().how, How::out_of_time);
  EXPECT_EQ(asked->end().reason, "");
  EXPECT_GT(ticks, 0);
}

TEST_F(AskedWorker, ItIsEndedWithItsObject) {
  auto asked = worker("say who and hang");
  EXPECT_TRUE(answers(*asked));
  const auto child = static_cast<pid_t>(std::stol(lines.back()));
  EXPECT_EQ(kill(child, 0), 0);
  asked.reset();
  EXPECT_EQ(kill(child, 0), -1);
}

TEST_F(WorkerTest, ItsTaskReachesItWholeHoweverLong) {
  const std::string longest(1 << 20, 'y');
  EXPECT_EQ(work(longest).how, How::finished);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0] == longest);
}

TEST_F(WorkerTest, AProgramThatIsNotThereIsAnErrorThatNamesIt) {
  try {
    run_worker({.program = "/no/such/program", .arguments = {}, .task = ""},
               {.line = {}, .tick = {}, .diagnostics = {}}, patient, interrupted);
    ADD_FAILURE() << "it was started";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/program"), std::string::npos) << error.what();
  }
}

/// Each process has one thread at its beginning, whatever this one has.
TEST_F(WorkerTest, ThisProcessMayHaveThreads) {
  std::atomic<bool> done = false;
  const std::jthread other([&done] { done.wait(false); });
  EXPECT_EQ(work("a thousand lines").how, How::finished);
  done = true;
  done.notify_one();
}

TEST_F(WorkerTest, ALineMayBeLongerThanAPipe) {
  EXPECT_EQ(work("a long line").how, How::finished);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0] == std::string(1 << 20, 'x'));
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "after");
}

TEST_F(WorkerTest, ACrashNamesItsSignalAndKeepsWhatWasSent) {
  const WorkerEnd end = work("crash");
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_NE(end.reason.find("Segmentation fault"), std::string::npos) << end.reason;
  EXPECT_NE(end.reason.find("signal 11"), std::string::npos) << end.reason;
  EXPECT_EQ(lines, std::vector<std::string>{"before"});
}

TEST_F(WorkerTest, AnExitStatusIsACrashToo) {
  const WorkerEnd end = work("exit");
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_NE(end.reason.find("status 7"), std::string::npos) << end.reason;
}

TEST_F(WorkerTest, AnEndWithoutAFaultBeforeItIsDoneIsACrashToo) {
  const WorkerEnd end = work("exit as if all were well");
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_NE(end.reason.find("before it was done"), std::string::npos) << end.reason;
  EXPECT_EQ(lines, std::vector<std::string>{"before"});
}

TEST_F(WorkerTest, AListenerThatThrowsLeavesNoProcessBehind) {
  pid_t child = 0;
  const auto full = [&](std::string_view line) {
    child = std::stoi(std::string(line));
    throw std::runtime_error("no space left");
  };
  EXPECT_THROW(
      run_worker(double_told("say who and hang"), {.line = full, .tick = {}, .diagnostics = {}}, patient, interrupted),
      std::runtime_error);
  ASSERT_GT(child, 0);
  EXPECT_EQ(kill(child, 0), -1);
}

TEST_F(WorkerTest, AnExceptionThatEscapesBecomesItsLastWords) {
  const WorkerEnd end = work("throw");
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(end.last_words, "what went wrong");
}

TEST_F(WorkerTest, AnUnfinishedLastLineIsDropped) {
  const auto kill_while_it_writes = [this](std::string_view line) {
    lines.emplace_back(line);
    const auto child = static_cast<pid_t>(std::stol(lines.front()));
    wait_until_it_sleeps(child);
    kill(child, SIGKILL);
  };
  const WorkerEnd end = run_worker(double_told("say who and never finish a line"),
                                   {.line = kill_while_it_writes, .tick = {}, .diagnostics = {}}, patient, interrupted);
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(WorkerTest, SilenceEndsItAndSaysHowToAllowMore) {
  const WorkerEnd end = work("say something and hang", 1s);
  EXPECT_EQ(end.how, How::silent);
  EXPECT_NE(end.reason.find("1 s"), std::string::npos) << end.reason;
  EXPECT_NE(end.reason.find("--silence-limit"), std::string::npos) << end.reason;
  EXPECT_EQ(lines, std::vector<std::string>{"before"});
  EXPECT_GT(ticks, 0);
}

TEST_F(WorkerTest, TimeInWhichThisProcessWasStoppedIsNoSilence) {
  const WorkerHandlers stopped_once{.line = [this](std::string_view line) { lines.emplace_back(line); },
                                    .tick =
                                        [this] {
                                          if (ticks++ == 0) std::this_thread::sleep_for(2s);
                                        },
                                    .diagnostics = {}};
  EXPECT_EQ(run_worker(double_told("a thousand lines"), stopped_once, 1s, interrupted).how, How::finished);
  EXPECT_EQ(lines.size(), 1000u);
}

TEST_F(WorkerTest, ALimitBelowASecondIsNotCalledZeroSeconds) {
  const WorkerEnd end = work("say something and hang", 300ms);
  EXPECT_EQ(end.how, How::silent);
  EXPECT_EQ(end.reason.find(" 0 s"), std::string::npos) << end.reason;
}

TEST_F(WorkerTest, WhatItWritesElsewhereIsNoSignOfLife) {
  const WorkerEnd end = work("be busy elsewhere", 1s);
  EXPECT_EQ(end.how, How::silent);
  EXPECT_EQ(end.last_words, "busy");
}

TEST_F(WorkerTest, AnInterruptEndsItAndKeepsCompleteLines) {
  interrupt_after_lines = 2;
  const WorkerEnd end = work("two lines and hang");
  EXPECT_EQ(end.how, How::interrupted);
  EXPECT_EQ(end.reason, "");
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
}

TEST_F(WorkerTest, CtrlCInTheTerminalIsTheParentsToDecide) {
  const WorkerEnd end = work("Ctrl-C");
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(lines, std::vector<std::string>{"still here"});
}

TEST_F(WorkerTest, WhatDriversPrintGoesToTheDiagnosticsOnly) {
  const WorkerEnd end = work("print");
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(lines, std::vector<std::string>{"a record"});
  EXPECT_EQ(diagnostics, "on standard output\non standard error\nits last words\n");
  EXPECT_EQ(end.last_words, "its last words");
}

TEST_F(WorkerTest, LastWordsAreKeptThoughNoLineFeedFollows) {
  const WorkerEnd end = work("abort");
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(end.last_words, "assertion failed");
}

TEST_F(WorkerTest, LeavesNoProcessBehind) {
  work("say something and hang", 300ms);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(WorkerTest, HandlersMayBeLeftOut) {
  const WorkerEnd end = run_worker(
      double_told("print"), {.line = [](std::string_view) {}, .tick = {}, .diagnostics = {}}, patient, interrupted);
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(end.last_words, "its last words");
}

}  // namespace
}  // namespace sonde::measure
