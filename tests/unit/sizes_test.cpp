#include "commands/commands.hpp"

#include <gtest/gtest.h>

namespace sonde::commands {
namespace {

TEST(ParseSize, KnowsPowersOf1024) {
  EXPECT_EQ(parse_size("64"), 64u);
  EXPECT_EQ(parse_size("64B"), 64u);
  EXPECT_EQ(parse_size("4K"), 4096u);
  EXPECT_EQ(parse_size("4k"), 4096u);
  EXPECT_EQ(parse_size("4KB"), 4096u);
  EXPECT_EQ(parse_size("4KiB"), 4096u);
  EXPECT_EQ(parse_size("1.5M"), 1572864u);
  EXPECT_EQ(parse_size("2GiB"), 2147483648u);
  EXPECT_EQ(parse_size("1T"), 1099511627776u);
}

TEST(ParseSize, RefusesEverythingElseWithTheWordAndAnExample) {
  for (const char* text : {"",      "K",    "-4K", "+4K", "0",    "0.5",  "4X",  "4KK",   "4 K", "4K ", " 4K",
                           "4KiBs", "1e30", "inf", "nan", "4,5K", "0x10", "1e3", "4K:8K", "M4",  "5BB"}) {
    try {
      const auto bytes = parse_size(text);
      ADD_FAILURE() << "'" << text << "' became " << bytes;
    } catch (const session::UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(text) + "'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("64M"), std::string::npos) << error.what();
    }
  }
}

TEST(ParseSizeRange, GivesLeastAndMost) {
  EXPECT_EQ(parse_size_range("4K:1G"), (std::pair<std::uint64_t, std::uint64_t>{4096, 1ull << 30}));
  EXPECT_EQ(parse_size_range("4K:4K"), (std::pair<std::uint64_t, std::uint64_t>{4096, 4096}));
}

TEST(ParseSizeRange, RefusesWhatIsNoRange) {
  for (const char* text : {"", "4K", ":", "4K:", ":4K", "8K:4K", "4K:8K:16K", "a:b", "0:4K"}) {
    EXPECT_THROW((void)parse_size_range(text), session::UsageError) << text;
  }
}

TEST(ParseSizeRange, SaysWhichWayRoundItIsWrong) {
  try {
    (void)parse_size_range("8K:4K");
    ADD_FAILURE();
  } catch (const session::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("8K:4K"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("minimum above its maximum"), std::string::npos);
  }
}

}  // namespace
}  // namespace sonde::commands
