#include "records/record_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

namespace sonde::records {
namespace {

class RecordFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "sonde-records-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string refusal(const std::filesystem::path& path) {
    try {
      const RecordFile file(path);
      ADD_FAILURE() << path << " was created";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder;
};

TEST_F(RecordFileTest, LinesAreThereAtOnce) {
  RecordFile file(folder / "a.jsonl");
  EXPECT_EQ(content(folder / "a.jsonl"), "");
  file.append("one");
  EXPECT_EQ(content(folder / "a.jsonl"), "one\n");
  file.append("two");
  EXPECT_EQ(content(folder / "a.jsonl"), "one\ntwo\n");
  EXPECT_EQ(file.path(), folder / "a.jsonl");
}

TEST_F(RecordFileTest, AFileThatExistsIsLeftUntouched) {
  std::ofstream(folder / "a.jsonl") << "precious";
  const std::string reason = refusal(folder / "a.jsonl");
  EXPECT_NE(reason.find((folder / "a.jsonl").string()), std::string::npos) << reason;
  EXPECT_NE(reason.find("not overwritten"), std::string::npos) << reason;
  EXPECT_EQ(content(folder / "a.jsonl"), "precious");
}

TEST_F(RecordFileTest, ALinkIsNotFollowedToAFileThatExists) {
  std::ofstream(folder / "target") << "precious";
  std::filesystem::create_symlink(folder / "target", folder / "link");
  EXPECT_NE(refusal(folder / "link"), "");
  EXPECT_EQ(content(folder / "target"), "precious");
}

TEST_F(RecordFileTest, APlaceThatCannotBeWrittenIsNamed) {
  for (const auto& path : {folder / "missing" / "a.jsonl", folder, std::filesystem::path("/proc/a.jsonl")}) {
    EXPECT_NE(refusal(path).find(path.string()), std::string::npos);
  }
}

TEST_F(RecordFileTest, AFullDiskIsAnErrorThatNamesTheFile) {
  RecordFile file(folder / "a.jsonl");
  file.append("before");
  // A limit on the size of files stands for the full disk; without a handler the system would end the
  // program.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string reason;
  try {
    file.append("a line that is too long");
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(reason.find((folder / "a.jsonl").string()), std::string::npos) << reason;
  EXPECT_EQ(content(folder / "a.jsonl").substr(0, 7), "before\n");
}

}  // namespace
}  // namespace sonde::records
