// A worker that does what its task names: how drivers end, hang and print. measure::run_worker is tested with it.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "measure/worker.hpp"

namespace {

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

const std::map<std::string, void (*)(const SendLine&)> behaviours{
    {"a thousand lines",
     [](const SendLine& send) {
       for (int line = 0; line < 1000; ++line) send("line " + std::to_string(line));
     }},
    {"a long line",
     [](const SendLine& send) {
       send(std::string(1 << 20, 'x'));
       send("");
       send("after");
     }},
    {"crash",
     [](const SendLine& send) {
       send("before");
       die_of(SIGSEGV);
     }},
    {"exit", [](const SendLine&) { _exit(7); }},
    {"exit as if all were well",
     [](const SendLine& send) {
       send("before");
       _exit(0);
     }},
    {"throw", [](const SendLine&) { throw std::runtime_error("what went wrong"); }},
    {"say who and hang",
     [](const SendLine& send) {
       send(std::to_string(getpid()));
       hang();
     }},
    {"say who and never finish a line",
     [](const SendLine& send) {
       send(std::to_string(getpid()));
       send(std::string(64 << 20, 'x'));  // longer than any pipe
       hang();
     }},
    {"say something and hang",
     [](const SendLine& send) {
       send("before");
       hang();
     }},
    {"two lines and hang",
     [](const SendLine& send) {
       send("one");
       send("two");
       hang();
     }},
    {"be busy elsewhere",
     [](const SendLine&) {
       for (;;) {
         (void)!write(STDERR_FILENO, "busy\n", 5);
         usleep(20'000);
       }
     }},
    {"Ctrl-C",
     [](const SendLine& send) {
       raise(SIGINT);
       raise(SIGHUP);
       send("still here");
     }},
    {"print",
     [](const SendLine& send) {
       std::puts("on standard output");
       std::fflush(stdout);
       std::fputs("on standard error\nits last words\n", stderr);
       send("a record");
     }},
    {"abort",
     [](const SendLine&) {
       std::fputs("earlier\nassertion failed", stderr);
       die_of(SIGABRT);
     }},
    {"race", [](const SendLine&) { race(); }},
};

}  // namespace

int main() {
  sonde::measure::be_a_worker([](const std::string& task, const SendLine& send) {
    const auto behaviour = behaviours.find(task);
    if (behaviour != behaviours.end()) {
      behaviour->second(send);
    } else {
      send(task);
    }
  });
}
