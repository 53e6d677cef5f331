#include "measure/worker.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace sonde::measure {
namespace {

using namespace std::chrono_literals;
using How = WorkerEnd::How;

/// Long enough that no test ends by it unless it wants to, however slow the machine.
constexpr auto patient = 60s;

class WorkerTest : public testing::Test {
 protected:
  WorkerEnd work(const std::function<void(const SendLine&)>& what, std::chrono::milliseconds silence_limit = patient) {
    return run_worker(what,
                      {.line =
                           [this](std::string_view line) {
                             lines.emplace_back(line);
                             if (lines.size() == interrupt_after_lines) interrupted = true;
                           },
                       .tick = [this] { ++ticks; },
                       .diagnostics = [this](std::string_view text) { diagnostics += text; }},
                      silence_limit, interrupted);
  }

  std::vector<std::string> lines;
  std::string diagnostics;
  int ticks = 0;
  std::size_t interrupt_after_lines = 0;
  std::atomic<bool> interrupted = false;
};

/// Sanitizers would catch the signal and turn it into an exit status.
void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

[[noreturn]] void hang() {
  for (;;) pause();
}

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
  const WorkerEnd end = work([](const SendLine& send) {
    for (int line = 0; line < 1000; ++line) send("line " + std::to_string(line));
  });
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(end.reason, "");
  ASSERT_EQ(lines.size(), 1000u);
  for (std::size_t line = 0; line < lines.size(); ++line) EXPECT_EQ(lines[line], "line " + std::to_string(line));
}

TEST_F(WorkerTest, ItsMemoryIsItsOwn) {
  int touched = 0;
  work([&touched](const SendLine& send) {
    touched = 1;
    send(std::to_string(touched));
  });
  EXPECT_EQ(lines, std::vector<std::string>{"1"});
  EXPECT_EQ(touched, 0);
}

TEST_F(WorkerTest, ALineMayBeLongerThanAPipe) {
  const std::string longest(1 << 20, 'x');
  EXPECT_EQ(work([&](const SendLine& send) {
              send(longest);
              send("");
              send("after");
            }).how,
            How::finished);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0] == longest);
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "after");
}

TEST_F(WorkerTest, ACrashNamesItsSignalAndKeepsWhatWasSent) {
  const WorkerEnd end = work([](const SendLine& send) {
    send("before");
    die_of(SIGSEGV);
  });
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_NE(end.reason.find("Segmentation fault"), std::string::npos) << end.reason;
  EXPECT_NE(end.reason.find("signal 11"), std::string::npos) << end.reason;
  EXPECT_EQ(lines, std::vector<std::string>{"before"});
}

TEST_F(WorkerTest, AnExitStatusIsACrashToo) {
  const WorkerEnd end = work([](const SendLine&) { _exit(7); });
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_NE(end.reason.find("status 7"), std::string::npos) << end.reason;
}

TEST_F(WorkerTest, AListenerThatThrowsLeavesNoProcessBehind) {
  pid_t child = 0;
  const auto full = [&](std::string_view line) {
    child = std::stoi(std::string(line));
    throw std::runtime_error("no space left");
  };
  EXPECT_THROW(run_worker(
                   [](const SendLine& send) {
                     send(std::to_string(getpid()));
                     hang();
                   },
                   {.line = full, .tick = {}, .diagnostics = {}}, patient, interrupted),
               std::runtime_error);
  ASSERT_GT(child, 0);
  EXPECT_EQ(kill(child, 0), -1);
}

TEST_F(WorkerTest, AnExceptionThatEscapesBecomesItsLastWords) {
  const WorkerEnd end = work([](const SendLine&) { throw std::runtime_error("what went wrong"); });
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(end.last_words, "what went wrong");
}

TEST_F(WorkerTest, AnUnfinishedLastLineIsDropped) {
  const auto unfinished = [](const SendLine& send) {
    const std::string longer_than_any_pipe(64 << 20, 'x');
    send(std::to_string(getpid()));
    send(longer_than_any_pipe);
    hang();
  };
  const auto kill_while_it_writes = [this](std::string_view line) {
    lines.emplace_back(line);
    const auto child = static_cast<pid_t>(std::stol(lines.front()));
    wait_until_it_sleeps(child);
    kill(child, SIGKILL);
  };
  const WorkerEnd end =
      run_worker(unfinished, {.line = kill_while_it_writes, .tick = {}, .diagnostics = {}}, patient, interrupted);
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(WorkerTest, SilenceEndsItAndSaysHowToAllowMore) {
  const WorkerEnd end = work(
      [](const SendLine& send) {
        send("before");
        hang();
      },
      1s);
  EXPECT_EQ(end.how, How::silent);
  EXPECT_NE(end.reason.find("1 s"), std::string::npos) << end.reason;
  EXPECT_NE(end.reason.find("--silence-limit"), std::string::npos) << end.reason;
  EXPECT_EQ(lines, std::vector<std::string>{"before"});
  EXPECT_GT(ticks, 0);
}

TEST_F(WorkerTest, ALimitBelowASecondIsNotCalledZeroSeconds) {
  const WorkerEnd end = work([](const SendLine&) { hang(); }, 300ms);
  EXPECT_EQ(end.how, How::silent);
  EXPECT_EQ(end.reason.find(" 0 s"), std::string::npos) << end.reason;
}

TEST_F(WorkerTest, WhatItWritesElsewhereIsNoSignOfLife) {
  const WorkerEnd end = work(
      [](const SendLine&) {
        for (;;) {
          (void)!write(STDERR_FILENO, "busy\n", 5);
          usleep(20'000);
        }
      },
      1s);
  EXPECT_EQ(end.how, How::silent);
  EXPECT_EQ(end.last_words, "busy");
}

TEST_F(WorkerTest, AnInterruptEndsItAndKeepsCompleteLines) {
  interrupt_after_lines = 2;
  const WorkerEnd end = work([](const SendLine& send) {
    send("one");
    send("two");
    hang();
  });
  EXPECT_EQ(end.how, How::interrupted);
  EXPECT_EQ(end.reason, "");
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
}

TEST_F(WorkerTest, CtrlCInTheTerminalIsTheParentsToDecide) {
  const WorkerEnd end = work([](const SendLine& send) {
    raise(SIGINT);
    raise(SIGHUP);
    send("still here");
  });
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(lines, std::vector<std::string>{"still here"});
}

TEST_F(WorkerTest, WhatDriversPrintGoesToTheDiagnosticsOnly) {
  const WorkerEnd end = work([](const SendLine& send) {
    std::puts("on standard output");
    std::fflush(stdout);
    std::fputs("on standard error\nits last words\n", stderr);
    send("a record");
  });
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(lines, std::vector<std::string>{"a record"});
  EXPECT_EQ(diagnostics, "on standard output\non standard error\nits last words\n");
  EXPECT_EQ(end.last_words, "its last words");
}

TEST_F(WorkerTest, LastWordsAreKeptThoughNoLineFeedFollows) {
  const WorkerEnd end = work([](const SendLine&) {
    std::fputs("earlier\nassertion failed", stderr);
    die_of(SIGABRT);
  });
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(end.last_words, "assertion failed");
}

TEST_F(WorkerTest, LeavesNoProcessBehind) {
  work([](const SendLine&) { hang(); }, 300ms);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(WorkerTest, HandlersMayBeLeftOut) {
  const WorkerEnd end =
      run_worker([](const SendLine& send) { send("a"), std::fputs("b\n", stderr); },
                 {.line = [](std::string_view) {}, .tick = {}, .diagnostics = {}}, patient, interrupted);
  EXPECT_EQ(end.how, How::finished);
  EXPECT_EQ(end.last_words, "b");
}

}  // namespace
}  // namespace sonde::measure
