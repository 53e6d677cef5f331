// Makes one deliberate mistake, named by its argument, which ThreadSanitizer must report: proof that it watches this
// process and the workers that are forked from it.

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

int run_in_worker(void (*mistake)()) {
  const std::atomic<bool> interrupted = false;
  const WorkerEnd end =
      run_worker([mistake](const SendLine&) { mistake(); },
                 {.line = {}, .tick = {}, .diagnostics = [](std::string_view text) { std::cerr << text; }},
                 std::chrono::seconds(60), interrupted);
  return end.how == WorkerEnd::How::finished ? 0 : 1;
}

/// run_worker demands one thread: of what the others held, the child would have a copy that nobody gives back.
int fork_beside_a_thread() {
  std::atomic<bool> done = false;
  std::thread other([&done] { done.wait(false); });
  const int status = run_in_worker([] { std::thread([] {}).join(); });
  done = true;
  done.notify_one();
  other.join();
  return status;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mistake = count > 1 ? arguments[1] : "";
  if (mistake == "race") race();
  if (mistake == "worker") return run_in_worker(race);
  if (mistake == "fork") return fork_beside_a_thread();
  return 0;
}
