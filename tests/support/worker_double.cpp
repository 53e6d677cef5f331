// A worker that does what its task names: how drivers end, hang, print and answer. measure::Worker is tested with it.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "measure/worker.hpp"

namespace {

using sonde::measure::NextLine;
using sonde::measure::SendLine;

/// Sanitizers would catch the signal and turn it into an exit status.
void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

[[noreturn]] void hang() {
  for (;;) pause();
}

/// Two threads add to the same number, with nothing between them.
void race() {
  int number = 0;
  const auto add = [&number] { ++number; };
  std::thread first(add);
  std::thread second(add);
  first.join();
  second.join();
}

const std::map<std::string, void (*)(const NextLine&, const SendLine&)> behaviours{
    {"a thousand lines",
     [](const NextLine&, const SendLine& send) {
       for (int line = 0; line < 1000; ++line) send("line " + std::to_string(line));
     }},
    {"a long line",
     [](const NextLine&, const SendLine& send) {
       send(std::string(1 << 20, 'x'));
       send("");
       send("after");
     }},
    {"crash",
     [](const NextLine&, const SendLine& send) {
       send("before");
       die_of(SIGSEGV);
     }},
    {"exit", [](const NextLine&, const SendLine&) { _exit(7); }},
    {"exit as if all were well",
     [](const NextLine&, const SendLine& send) {
       send("before");
       _exit(0);
     }},
    {"throw", [](const NextLine&, const SendLine&) { throw std::runtime_error("what went wrong"); }},
    {"say who and hang",
     [](const NextLine&, const SendLine& send) {
       send(std::to_string(getpid()));
       hang();
     }},
    {"say who and never finish a line",
     [](const NextLine&, const SendLine& send) {
       send(std::to_string(getpid()));
       send(std::string(64 << 20, 'x'));  // longer than any pipe
       hang();
     }},
    {"say something and hang",
     [](const NextLine&, const SendLine& send) {
       send("before");
       hang();
     }},
    {"two lines and hang",
     [](const NextLine&, const SendLine& send) {
       send("one");
       send("two");
       hang();
     }},
    {"be busy elsewhere",
     [](const NextLine&, const SendLine&) {
       for (;;) {
         (void)!write(STDERR_FILENO, "busy\n", 5);
         usleep(20'000);
       }
     }},
    {"Ctrl-C",
     [](const NextLine&, const SendLine& send) {
       raise(SIGINT);
       raise(SIGHUP);
       send("still here");
     }},
    {"print",
     [](const NextLine&, const SendLine& send) {
       std::puts("on standard output");
       std::fflush(stdout);
       std::fputs("on standard error\nits last words\n", stderr);
       send("a record");
     }},
    {"abort",
     [](const NextLine&, const SendLine&) {
       std::fputs("earlier\nassertion failed", stderr);
       die_of(SIGABRT);
     }},
    {"answer each line",
     [](const NextLine& next, const SendLine& send) {
       while (const auto line = next()) send("answer to " + *line);
       send("nothing more was asked");
     }},
    {"answer and die",
     [](const NextLine& next, const SendLine& send) {
       send("answer to " + next().value_or("nothing"));
       die_of(SIGKILL);
     }},
    {"read as a driver would",
     [](const NextLine& next, const SendLine& send) {
       char letter = 0;
       send("it read " + std::to_string(read(STDIN_FILENO, &letter, 1)));
       send("answer to " + next().value_or("nothing"));
     }},
    {"race", [](const NextLine&, const SendLine&) { race(); }},
};

}  // namespace

int main() {
  sonde::measure::be_a_worker([](const NextLine& next, const SendLine& send) {
    const std::string task = next().value();
    const auto behaviour = behaviours.find(task);
    if (behaviour != behaviours.end()) {
      behaviour->second(next, send);
    } else {
      send(task);
    }
  });
}
