// Makes one deliberate mistake, named by its argument, which ThreadSanitizer must report: proof that it watches this
// process and the workers that it starts.

#include <atomic>
#include <chrono>
#include <iostream>
#include <string_view>
#include <thread>

#include "measure/worker.hpp"

namespace {

using namespace sonde::measure;

/// Two threads add to the same number, with nothing between them.
void race() {
  int number = 0;
  const auto add = [&number] { ++number; };
  std::thread first(add);
  std::thread second(add);
  first.join();
  second.join();
}

/// The same in a worker, whose standard error is this one's diagnostics.
int race_in_a_worker() {
  const std::atomic<bool> interrupted = false;
  const WorkerEnd end =
      run_worker({.program = WORKER_DOUBLE, .arguments = {}, .task = "race"},
                 {.line = {}, .tick = {}, .diagnostics = [](std::string_view text) { std::cerr << text; }},
                 std::chrono::seconds(60), interrupted);
  return end.how == WorkerEnd::How::finished ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mistake = count > 1 ? arguments[1] : "";
  if (mistake == "race") race();
  if (mistake == "worker") return race_in_a_worker();
  return 0;
}
