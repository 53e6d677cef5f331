// What is said of drivers by what their processes said.

#include "session/drivers.hpp"

#include <gtest/gtest.h>

#include "support/seen_devices.hpp"

namespace sonde::session {
namespace {

using device::Api;

ListedDriver with_device(Api api, const std::string& file, const std::string& library) {
  return {.api = api, .choice = {.file = file}, .devices = {test::seen(api, "a GPU", {}).info}, .library = library};
}

TEST(Drivers, ThatWereListedAreNoProblem) {
  const std::vector drivers{with_device(Api::opencl, "a.icd", "/lib/a.so"),
                            ListedDriver{.api = Api::opencl, .remark = "none"}};
  EXPECT_EQ(problem_of(Api::opencl, drivers), "");
  EXPECT_TRUE(superfluous(Api::opencl, drivers).empty());
}

TEST(Drivers, ThatFailAreNamedThoughOthersWork) {
  const std::vector drivers{with_device(Api::vulkan, "a.json", "/lib/a.so"),
                            ListedDriver{.api = Api::vulkan, .choice = {.file = "b.json"}, .failure = "crashed"},
                            ListedDriver{.api = Api::opencl, .choice = {.file = "c.icd"}, .failure = "hangs"}};
  EXPECT_EQ(problem_of(Api::vulkan, drivers), "b.json: crashed");
  EXPECT_EQ(problem_of(Api::opencl, drivers), "c.icd: hangs");
}

TEST(Drivers, ThatFailAlikeAreToldTogether) {
  const std::vector drivers{ListedDriver{.api = Api::vulkan, .choice = {.file = "a.json"}, .failure = "crashed"},
                            ListedDriver{.api = Api::vulkan, .choice = {.file = "b.json"}, .failure = "hangs"},
                            ListedDriver{.api = Api::vulkan, .choice = {.file = "c.json"}, .failure = "crashed"}};
  EXPECT_EQ(problem_of(Api::vulkan, drivers), "a.json, c.json: crashed; b.json: hangs");
}

TEST(Drivers, NoneOfWhichShowsADeviceSayWhatToInstall) {
  const std::vector drivers{ListedDriver{.api = Api::opencl, .remark = "install one"},
                            ListedDriver{.api = Api::opencl, .remark = "install one"}};
  EXPECT_EQ(problem_of(Api::opencl, drivers), "install one");
}

TEST(Drivers, ThatTwoFilesNameAreUsedOnce) {
  std::vector drivers{with_device(Api::vulkan, "a.json", "/lib/a.so"), with_device(Api::opencl, "a.icd", "/lib/a.so"),
                      with_device(Api::vulkan, "b.json", "/lib/a.so"), with_device(Api::vulkan, "c.json", "/lib/c.so"),
                      with_device(Api::vulkan, "d.json", "/lib/a.so")};
  leave_out_repeated(drivers);
  std::vector<std::size_t> devices;
  for (const ListedDriver& driver : drivers) devices.push_back(driver.devices.size());
  EXPECT_EQ(devices, (std::vector<std::size_t>{1, 1, 0, 1, 0}));
  EXPECT_EQ(drivers[4].repeats, "a.json");
  EXPECT_EQ(problem_of(Api::vulkan, drivers), "");
  EXPECT_EQ(superfluous(Api::vulkan, drivers).size(), 2u);
}

TEST(Drivers, WithWhichLayersFailAreToldOnce) {
  std::vector drivers{with_device(Api::vulkan, "a.json", "/lib/a.so"), with_device(Api::vulkan, "b.json", "/lib/b.so")};
  for (ListedDriver& driver : drivers) driver.with_layers = "crashed";
  const std::vector<std::string> said = superfluous(Api::vulkan, drivers);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("without layers"), std::string::npos);
  EXPECT_NE(said[0].find("(crashed)"), std::string::npos);
  EXPECT_EQ(problem_of(Api::vulkan, drivers), "");
}

}  // namespace
}  // namespace sonde::session
