#include "counters/state/sysfs.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/file.hpp"
#include "support/fake_tree.hpp"

namespace sonde::counters {
namespace {

TEST(SmallFile, ANumberStandsAlone) {
  EXPECT_EQ(number_in("2371\n"), 2371);
  EXPECT_EQ(number_in(" -5000 "), -5000);
  EXPECT_EQ(number_in("2000.125"), 2000.125);
  for (const char* text :
       {"", " \n", "fast", "12 34", "0x10", "1,5", "12MHz", "nan", "inf", "1e999", "99999999999999999999"}) {
    EXPECT_FALSE(number_in(text)) << text;
  }
}

TEST(SmallFile, WhatCannotBeReadIsNothing) {
  const test::FakeTree tree;
  std::filesystem::create_directory(tree.root() / "folder");
  ASSERT_EQ(mkfifo((tree.root() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_text(tree.root() / "missing"));
  EXPECT_FALSE(read_text(tree.root() / "folder"));
  EXPECT_EQ(read_text(tree.root() / "pipe").value_or(""), "");  // and is not waited for
  EXPECT_FALSE(read_number(tree.write("text", "no number")));
  EXPECT_EQ(read_number(tree.write("number", "42\n")), 42);
}

TEST(SmallFile, NoMoreIsReadThanAskedFor) {
  const test::FakeTree tree;
  const auto file = tree.write("long", std::string(10000, 'x'));
  EXPECT_EQ(read_text(file)->size(), 4096u);
  EXPECT_EQ(os::read_bytes(file, 10)->size(), 10u);
  EXPECT_EQ(os::read_bytes(file, 1 << 20)->size(), 10000u);
}

TEST(SmallFile, NumberedEntriesComeByNumber) {
  const test::FakeTree tree;
  for (const char* name : {"card10", "card2", "card0-DP-1", "card", "render128", "cardx"}) tree.write(name, "");
  const auto found = numbered(tree.root(), "card");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].filename(), "card2");
  EXPECT_EQ(found[1].filename(), "card10");
  EXPECT_TRUE(numbered(tree.root() / "missing", "card").empty());
}

}  // namespace
}  // namespace sonde::counters
