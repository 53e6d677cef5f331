// Threads that wait for a number see every change, whenever it comes.

#include "os/threads.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sonde::os {
namespace {

TEST(Awaited, NoChangeIsLostBetweenTwoThreadsThatTakeTurns) {
  constexpr int rounds = 20'000;
  Awaited<int> asked(0);
  Awaited<int> answered(0);
  const std::jthread other([&] {
    for (int round = 1; round <= rounds; ++round) {
      asked.wait_until([round](int number) { return number >= round; });
      answered.set(round);
    }
  });
  for (int round = 1; round <= rounds; ++round) {
    EXPECT_EQ(asked.add(1), round);
    EXPECT_EQ(answered.wait_until([round](int number) { return number >= round; }), round);
  }
  EXPECT_EQ(answered.value(), rounds);
}

TEST(Awaited, WakesAllWhoWait) {
  Awaited<bool> may_go(false);
  Awaited<int> gone(0);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      may_go.wait_until([](bool may) { return may; });
      gone.add(1);
    });
  }
  may_go.set(true);
  EXPECT_EQ(gone.wait_until([](int number) { return number == 4; }), 4);
}

}  // namespace
}  // namespace sonde::os
