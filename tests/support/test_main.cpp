#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "support/own_worker.hpp"

namespace {

constexpr std::string_view option = "--file=";

/// GoogleTest's pattern of all tests that stand in a source of this name; empty if there is none.
std::string tests_in(std::string_view source) {
  const auto& all = *testing::UnitTest::GetInstance();
  std::string pattern;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      const std::string_view file = test.file();
      if (file.substr(file.find_last_of("/\\") + 1) != source) continue;
      pattern += (pattern.empty() ? "" : ":") + std::string(suite.name()) + "." + test.name();
    }
  }
  return pattern;
}

}  // namespace

void (*sonde::test::be_own_worker)() = nullptr;

/// GoogleTest's main with one option more: `--file=compute_test.cpp` runs the tests of that source. A process for each
/// source takes a fraction of the time that one for each test does. What a filter takes out stays out.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "worker" && sonde::test::be_own_worker != nullptr)
    sonde::test::be_own_worker();
  testing::InitGoogleTest(&argc, argv);
  const auto found = std::find_if(argv, argv + argc, [](std::string_view word) { return word.starts_with(option); });
  if (found != argv + argc) {
    const std::string pattern = tests_in(std::string_view(*found).substr(option.size()));
    if (pattern.empty()) {
      std::fprintf(stderr, "no test is in %s\n", *found + option.size());
      return 1;
    }
    const std::string asked = testing::GTEST_FLAG(filter);
    const auto taken_out = asked.find('-');
    testing::GTEST_FLAG(filter) = pattern + (taken_out == std::string::npos ? "" : asked.substr(taken_out));
  }
  return RUN_ALL_TESTS();
}
