#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "os/this_process.hpp"

namespace sonde::os {
namespace {

constexpr const char* own_name = "SONDE_TEST_OF_AN_ENVIRONMENT";

std::string value_now() {
  const char* const value = std::getenv(own_name);  // NOLINT(concurrency-mt-unsafe): no other thread runs
  return value != nullptr ? value : "nothing";
}

TEST(ChangedEnvironment, ComesBackAsItWas) {
  const std::string name = own_name;
  ASSERT_EQ(value_now(), "nothing");
  {
    const ChangedEnvironment outer({name + "=first", name + "=a=b"});
    EXPECT_EQ(value_now(), "a=b") << "a value may have a sign of equality, and the last setting counts";
    {
      const ChangedEnvironment inner({name + "=inner"});
      EXPECT_EQ(value_now(), "inner");
    }
    EXPECT_EQ(value_now(), "a=b");
  }
  EXPECT_EQ(value_now(), "nothing");
}

}  // namespace
}  // namespace sonde::os
