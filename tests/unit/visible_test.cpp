#include "records/device_record.hpp"

#include <gtest/gtest.h>

namespace sonde::records {
namespace {

TEST(Visible, ControlCharactersAreShownAndNotObeyed) {
  EXPECT_EQ(visible("Radeon\x1b[31m\x07\r\x7f"), R"(Radeon\x1b[31m\x07\x0d\x7f)");
  EXPECT_EQ(visible(std::string_view("a\0b\tc", 5)), R"(a\x00b\x09c)");
  EXPECT_EQ(visible("\xC2\x9b"
                    "31m"),
            R"(\x9b31m)")
      << "the same escape in one letter of UTF-8";
}

TEST(Visible, LettersOfAnyKindAndLineFeedsStay) {
  for (const char* text : {"", "GeForce RTX 4090", "µs\nGraphikkarte für 512 MiB", "\xC2\xA0", "\xC2", "漢字"})
    EXPECT_EQ(visible(text), text);
}

}  // namespace
}  // namespace sonde::records
