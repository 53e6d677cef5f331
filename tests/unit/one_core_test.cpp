#include "measure/smt_interference.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "os/threads.hpp"

namespace sonde::measure {
namespace {

using os::allowed_cpus;
using os::Cpus;

/// A point at which two threads wait for each other, again and again.
class Meeting {
 public:
  void arrive_and_wait() {
    const int arrived = arrived_.add(1);
    const int both = (arrived + 1) / 2 * 2;
    arrived_.wait_until([both](int now) { return now >= both; });
  }

 private:
  os::Awaited<int> arrived_{0};
};

TEST(OneCore, KeepsEveryThreadOnOneCpuAndLetsAllGoAgain) {
  const Cpus before = allowed_cpus();
  // A thread that is there already, as a driver's are; it looks three times: before, while confined, and
  // after.
  Cpus seen[3];
  Meeting step;
  std::thread driver([&] {
    for (Cpus& cpus : seen) {
      step.arrive_and_wait();
      cpus = allowed_cpus();
      step.arrive_and_wait();
    }
  });
  const auto look = [&step] {
    step.arrive_and_wait();
    step.arrive_and_wait();
  };
  look();
  {
    const OneCore one_core;
    const Cpus here = allowed_cpus();
    EXPECT_EQ(here.size(), 1u);
    look();
    EXPECT_EQ(seen[1], here);
  }
  const Cpus after = allowed_cpus();
  EXPECT_EQ(after, before);
  look();
  EXPECT_EQ(seen[2], seen[0]);
  driver.join();
}

TEST(OneCore, AThreadThatHadACpuOfItsOwnHasItAgain) {
  const Cpus before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  const Cpus own{*before.begin()};
  Meeting step;
  Cpus seen;
  std::thread driver([&] {
    os::allow_cpus(0, own);
    step.arrive_and_wait();
    step.arrive_and_wait();
    seen = allowed_cpus();
  });
  step.arrive_and_wait();
  {
    const OneCore one_core;
  }
  step.arrive_and_wait();
  driver.join();
  EXPECT_EQ(seen, own);
}

TEST(OneCore, ASparedThreadKeepsOffIt) {
  const Cpus before = allowed_cpus();
  Meeting step;
  os::ThreadId id = 0;
  Cpus seen[2];
  std::thread reader([&] {
    id = os::this_thread();
    step.arrive_and_wait();
    for (Cpus& cpus : seen) {
      step.arrive_and_wait();
      cpus = allowed_cpus();
      step.arrive_and_wait();
    }
  });
  const auto look = [&step] {
    step.arrive_and_wait();
    step.arrive_and_wait();
  };
  step.arrive_and_wait();
  {
    const OneCore one_core(id);
    const Cpus here = allowed_cpus();
    look();
    if (before.size() > 1) {
      EXPECT_FALSE(seen[0].contains(*here.begin()));
    }
  }
  look();
  EXPECT_EQ(seen[1], before);
  reader.join();
}

}  // namespace
}  // namespace sonde::measure
