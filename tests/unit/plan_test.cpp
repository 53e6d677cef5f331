#include "session/progress.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "probes/catalog.hpp"
#include "support/seen_devices.hpp"

namespace sonde::session {
namespace {

using device::Api;
using measure::Look;
using test::cpu_target;

std::string plan_of(const std::vector<Api>& apis, Look look, double time_limit_seconds = 0) {
  static const TargetDevice target = cpu_target();
  std::vector<std::pair<const TargetDevice*, Api>> work;
  for (const Api api : apis) work.emplace_back(&target, api);
  const std::vector<const measure::Probe*> probes{&probes::latency};
  return plan(work, probes, {.look = look}, time_limit_seconds);
}

/// The number in "Plan: about 24 s".
double seconds_in(const std::string& text) {
  const double number = std::stod(text.substr(text.find("about") + 6));
  return text.find(" min\n") != std::string::npos ? 60 * number : number;
}

TEST(Plan, NamesWhatIsMeasuredThroughWhatAndHowFar) {
  const std::string text = plan_of({Api::opencl, Api::vulkan}, Look::first);
  EXPECT_NE(text.find("latency on Some CPU through OpenCL, up to 64 MiB\n"), std::string::npos) << text;
  EXPECT_NE(text.find("latency on Some CPU through Vulkan, up to 64 MiB\n"), std::string::npos) << text;
}

TEST(Plan, TakesLongerThroughMoreApisAndWithMoreEffort) {
  const double one = seconds_in(plan_of({Api::opencl}, Look::first));
  const double both = seconds_in(plan_of({Api::opencl, Api::vulkan}, Look::first));
  EXPECT_NEAR(both, 2 * one, 1);
  EXPECT_GT(seconds_in(plan_of({Api::opencl}, Look::closer)), 2 * one);
  EXPECT_GT(seconds_in(plan_of({Api::opencl}, Look::closest)), seconds_in(plan_of({Api::opencl}, Look::closer)));
}

TEST(Plan, SaysWhereATimeLimitWillEndIt) {
  EXPECT_NE(plan_of({Api::opencl}, Look::closer, 5).find("--time-limit ends it after 5 s"), std::string::npos);
  EXPECT_EQ(plan_of({Api::opencl}, Look::closer, 5000).find("--time-limit"), std::string::npos);
}

}  // namespace
}  // namespace sonde::session
