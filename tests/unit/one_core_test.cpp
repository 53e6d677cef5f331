#include "measure/one_core.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <thread>

namespace sonde::measure {
namespace {

cpu_set_t allowed_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  EXPECT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  return cpus;
}

TEST(OneCore, KeepsEveryThreadOnOneCpuAndLetsAllGoAgain) {
  const cpu_set_t before = allowed_cpus();
  // A thread that is there already, as a driver's are; it looks three times: before, while confined, and
  // after.
  cpu_set_t seen[3];
  std::barrier step(2);
  std::thread driver([&] {
    for (cpu_set_t& cpus : seen) {
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
    const cpu_set_t here = allowed_cpus();
    EXPECT_EQ(CPU_COUNT(&here), 1);
    look();
    EXPECT_TRUE(CPU_EQUAL(&seen[1], &here));
  }
  const cpu_set_t after = allowed_cpus();
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
  look();
  EXPECT_TRUE(CPU_EQUAL(&seen[2], &seen[0]));
  driver.join();
}

TEST(OneCore, AThreadThatHadACpuOfItsOwnHasItAgain) {
  const cpu_set_t before = allowed_cpus();
  cpu_set_t own;
  CPU_ZERO(&own);
  for (std::size_t cpu = 0; CPU_COUNT(&own) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &own);
  }
  std::barrier step(2);
  cpu_set_t seen;
  std::thread driver([&] {
    sched_setaffinity(0, sizeof own, &own);
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
  EXPECT_TRUE(CPU_EQUAL(&seen, &own));
}

TEST(OneCore, ASparedThreadKeepsOffIt) {
  const cpu_set_t before = allowed_cpus();
  std::barrier step(2);
  pid_t id = 0;
  cpu_set_t seen[2];
  std::thread reader([&] {
    id = gettid();
    step.arrive_and_wait();
    for (cpu_set_t& cpus : seen) {
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
    const cpu_set_t here = allowed_cpus();
    look();
    cpu_set_t both;
    CPU_AND(&both, &here, &seen[0]);
    if (CPU_COUNT(&before) > 1) {
      EXPECT_EQ(CPU_COUNT(&both), 0);
    }
  }
  look();
  EXPECT_TRUE(CPU_EQUAL(&seen[1], &before));
  reader.join();
}

}  // namespace
}  // namespace sonde::measure
