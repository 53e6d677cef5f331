#include "session/progress.hpp"

#include <gtest/gtest.h>

namespace sonde::session {
namespace {

/// What a run shows on standard error.
class ProgressTest : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override {
    if (!taken) (void)testing::internal::GetCapturedStderr();
  }
  std::string printed() {
    taken = true;
    return testing::internal::GetCapturedStderr();
  }
  static Position position(double seconds_left) {
    return {.seconds_left = seconds_left,
            .device = "Some GPU",
            .api = "OpenCL",
            .probe = "latency",
            .point = "latency vector 4 KiB"};
  }
  /// The last line at a time.
  std::string drawn(double seconds_left) {
    {
      Progress progress(true, {});
      progress.at(position(seconds_left));
      progress.draw();
    }
    const std::string text = printed();
    testing::internal::CaptureStderr();
    taken = false;
    return text;
  }

  bool taken = false;
};

std::string two_lines(const std::vector<records::Line>&) { return "one\ntwo\n"; }

TEST_F(ProgressTest, OffATerminalEachProbeThatBeginsIsOnePlainLine) {
  {
    Progress progress(false, two_lines);
    Position at = position(50);
    for (const char* probe : {"latency", "bandwidth", "latency"}) {
      at.probe = probe;
      progress.at(at);
      progress.draw();
    }
    at.api = "Vulkan";
    progress.at(at);
    EXPECT_FALSE(progress.wants_a_screen());
    progress.clear();
  }
  EXPECT_EQ(printed(), "latency on Some GPU, OpenCL\nbandwidth on Some GPU, OpenCL\nlatency on Some GPU, Vulkan\n");
}

TEST_F(ProgressTest, OnATerminalItSaysHowLongItGoesOnAndWhereItIs) {
  const std::string text = drawn(42.4);
  EXPECT_NE(text.find("42 s left"), std::string::npos) << text;
  EXPECT_NE(text.find("latency vector 4 KiB, Some GPU, OpenCL"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << "it cleans up: " << text;
  EXPECT_NE(drawn(1800).find("30 min left"), std::string::npos);
  EXPECT_NE(drawn(-3).find("0 s left"), std::string::npos) << "a first look that takes longer than the budget";
}

TEST_F(ProgressTest, TheLastLineIsDrawnNoOftenerThanAnyoneCanRead) {
  {
    Progress progress(true, {});
    progress.at(position(9));
    for (int again = 0; again < 1000; ++again) progress.draw();
  }
  const std::string text = printed();
  EXPECT_LT(text.size(), 1000u) << text;
}

TEST_F(ProgressTest, AScreenIsDrawnInPlaceOfTheOneBefore) {
  {
    Progress progress(true, two_lines);
    EXPECT_FALSE(progress.wants_a_screen()) << "nothing is known yet";
    progress.at(position(9));
    progress.show({});
    EXPECT_FALSE(progress.wants_a_screen()) << "it takes a moment in which nothing is measured";
    progress.show({});
  }
  const std::string text = printed();
  const auto first = text.find("one\ntwo\n");
  const auto up = text.find("\033[3A\033[J");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(up, std::string::npos) << text;
  EXPECT_LT(first, up);
  EXPECT_EQ(text.find("one\ntwo\n\n", up), up + 7) << text;
  EXPECT_NE(text.find("\033[3A\033[J", up + 1), std::string::npos) << "nothing is left of it at the end: " << text;
  EXPECT_NE(text.find("9 s left"), std::string::npos) << text;
}

}  // namespace
}  // namespace sonde::session
