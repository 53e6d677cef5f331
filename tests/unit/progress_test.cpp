#include "session/progress.hpp"

#include <gtest/gtest.h>

namespace sonde::session {
namespace {

/// Progress off a terminal; what it prints there is looked at in one test only.
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
  bool taken = false;
};

TEST_F(ProgressTest, NothingIsKnownBeforeAPlan) {
  Progress progress(false, 2);
  EXPECT_EQ(progress.share_done(), 0);
  EXPECT_LT(progress.seconds_left(), 0);
  progress.worker_started("OpenCL on the CPU");
  EXPECT_EQ(progress.share_done(), 0);
}

TEST_F(ProgressTest, APointCountsOnceTheNextOneStarts) {
  Progress progress(false, 1);
  progress.worker_started("one");
  progress.planned(10);
  progress.point_started("a", 2);
  EXPECT_DOUBLE_EQ(progress.share_done(), 0);
  progress.point_started("b", 3);
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.2);
  progress.point_started("c", 5);
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.5);
  progress.worker_ended();
  EXPECT_DOUBLE_EQ(progress.share_done(), 1);
}

TEST_F(ProgressTest, WorkersToComeAreExpectedToTakeAsLongAsTheKnownOnes) {
  Progress progress(false, 2);
  progress.worker_started("one");
  progress.planned(10);
  progress.point_started("a", 10);
  progress.point_started("b", 0);
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.5);
  progress.worker_ended();
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.5);
  progress.worker_started("two");
  progress.planned(30);
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.25);
}

TEST_F(ProgressTest, ALaterPlanAddsToTheEarlierOne) {
  Progress progress(false, 1);
  progress.worker_started("one");
  progress.planned(4);
  progress.planned(4);
  progress.point_started("a", 4);
  progress.point_started("b", 4);
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.5);
}

TEST_F(ProgressTest, AWorkerThatDiesEarlyCountsAsDone) {
  Progress progress(false, 2);
  progress.worker_started("one");
  progress.planned(10);
  progress.point_started("a", 2);
  progress.worker_ended();
  EXPECT_DOUBLE_EQ(progress.share_done(), 0.5);
}

TEST_F(ProgressTest, OffATerminalEachWorkerIsOnePlainLine) {
  {
    Progress progress(false, 1);
    progress.worker_started("OpenCL on the CPU");
    progress.planned(10);
    progress.point_started("a", 2);
    progress.draw();
    progress.clear();
  }
  EXPECT_EQ(printed(), "OpenCL on the CPU\n");
}

TEST_F(ProgressTest, OnATerminalItNamesThePointAndCleansUp) {
  {
    Progress progress(true, 1);
    progress.worker_started("OpenCL on the CPU");
    progress.planned(10);
    progress.point_started("latency 4 KiB", 2);
    progress.draw();
  }
  const std::string text = printed();
  EXPECT_NE(text.find("OpenCL on the CPU"), std::string::npos) << text;
  EXPECT_NE(text.find("latency 4 KiB"), std::string::npos) << text;
  EXPECT_NE(text.find("0 %"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

}  // namespace
}  // namespace sonde::session
