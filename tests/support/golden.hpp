#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace sonde::test {

/// Holds a text to the file that has it. With SONDE_WRITE_SUMMARIES in the environment the file is written first, and
/// its diff is read.
inline void expect_text_of_file(const std::string& text, const std::string& path) {
  if (std::getenv("SONDE_WRITE_SUMMARIES") != nullptr) {  // NOLINT(concurrency-mt-unsafe): nothing changes it
    std::ofstream(path, std::ios::binary) << text;
  }
  const std::ifstream file(path, std::ios::binary);
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << path;
}

}  // namespace sonde::test
