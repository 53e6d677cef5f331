#include <csignal>
#include <initializer_list>

#include "os/interrupt.hpp"

namespace sonde::os {
namespace {

std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void set_flag(int) { flag = true; }

}  // namespace

const std::atomic<bool>& interrupted() { return flag; }

void watch_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = set_flag;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

}  // namespace sonde::os
