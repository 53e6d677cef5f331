// Whether a CPU device's cores all worked, by what the process had of them.

#include "workloads/arithmetic/arithmetic.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "os/time.hpp"

namespace sonde::workloads {
namespace {

constexpr double passed_seconds = 2e-3;

TEST(BusyCores, ACoreThatOthersHadIsNoticed) {
  EXPECT_FALSE(some_were_away(2, 2 * passed_seconds, passed_seconds));
  EXPECT_FALSE(some_were_away(2, 1.9 * passed_seconds, passed_seconds)) << "threads that begin one after the other";
  EXPECT_TRUE(some_were_away(2, 1.5 * passed_seconds, passed_seconds));
  EXPECT_TRUE(some_were_away(2, passed_seconds, passed_seconds)) << "one of them did the work of both";
  EXPECT_TRUE(some_were_away(16, 14 * passed_seconds, passed_seconds));
  EXPECT_FALSE(some_were_away(1, passed_seconds, passed_seconds));
  EXPECT_FALSE(some_were_away(2, std::numeric_limits<double>::quiet_NaN(), passed_seconds)) << "nobody can tell";
}

/// A device that claims to have had so long for a dispatch in which nobody did anything.
bool seen_of_an_idle(device::DeviceType type, std::uint32_t groups) {
  device::DeviceInfo device;
  device.type = type;
  device.compute_units = 2;
  BusyCores cores(device, groups);
  (void)cores.during([] { return device::Nanoseconds(1e12); });
  return cores.some_were_away();
}

TEST(BusyCores, AreAskedForOfCpusAlone) {
  const bool can_tell = os::cpu_seconds_of_all_threads() >= 0;  // false for what is no number
  EXPECT_EQ(seen_of_an_idle(device::DeviceType::cpu, 2), can_tell);
  EXPECT_EQ(seen_of_an_idle(device::DeviceType::cpu, 1), can_tell);
  EXPECT_FALSE(seen_of_an_idle(device::DeviceType::discrete, 2));
  EXPECT_FALSE(seen_of_an_idle(device::DeviceType::model, 2));
}

}  // namespace
}  // namespace sonde::workloads
