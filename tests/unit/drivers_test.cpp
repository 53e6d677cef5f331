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
  EXPECT_EQ(problem_of(Api::opencl, drivers, {}), "");
  EXPECT_TRUE(superfluous(Api::opencl, drivers).empty());
}

TEST(Drivers, ThatFailAreNamedThoughOthersWork) {
  const std::vector drivers{with_device(Api::vulkan, "a.json", "/lib/a.so"),
                            ListedDriver{.api = Api::vulkan, .choice = {.file = "b.json"}, .failure = "crashed"},
                            ListedDriver{.api = Api::opencl, .choice = {.file = "c.icd"}, .failure = "hangs"}};
  EXPECT_EQ(problem_of(Api::vulkan, drivers, {}), "b.json: crashed");
  EXPECT_EQ(problem_of(Api::opencl, drivers, {}), "c.icd: hangs");
}

TEST(Drivers, ThatFailAlikeAreToldTogether) {
  const std::vector drivers{ListedDriver{.api = Api::vulkan, .choice = {.file = "a.json"}, .failure = "crashed"},
                            ListedDriver{.api = Api::vulkan, .choice = {.file = "b.json"}, .failure = "hangs"},
                            ListedDriver{.api = Api::vulkan, .choice = {.file = "c.json"}, .failure = "crashed"}};
  EXPECT_EQ(problem_of(Api::vulkan, drivers, {}), "a.json, c.json: crashed; b.json: hangs");
}

TEST(Drivers, NoneOfWhichShowsADeviceSayWhatToInstall) {
  const std::vector drivers{ListedDriver{.api = Api::opencl, .remark = "install one"},
                            ListedDriver{.api = Api::opencl, .remark = "install one"}};
  EXPECT_EQ(problem_of(Api::opencl, drivers, {}), "install one");
}

TEST(Drivers, ThatAreInstalledAndShowNothingAreNotToBeInstalled) {
  const std::vector drivers{
      ListedDriver{.api = Api::opencl, .choice = {.file = "/a/pocl.icd"}, .remark = "install one", .is_sound = true},
      ListedDriver{.api = Api::opencl, .choice = {.file = "/a/old.icd"}, .remark = "a driver for 32-bit programs"},
      ListedDriver{.api = Api::vulkan, .choice = {.file = "/a/x.json"}, .remark = "install one", .is_sound = true}};
  const std::string opencl = problem_of(Api::opencl, drivers, {});
  EXPECT_NE(opencl.find("OpenCL drivers that are installed (/a/pocl.icd) show no device here"), std::string::npos);
  EXPECT_EQ(opencl.find("pocl-opencl-icd"), std::string::npos);
  const std::string vulkan = problem_of(Api::vulkan, drivers, {});
  EXPECT_NE(vulkan.find("installed (/a/x.json)"), std::string::npos);
  EXPECT_NE(vulkan.find("mesa-vulkan-drivers"), std::string::npos);  // which has one for the CPU
  EXPECT_EQ(problem_of(Api::opencl, std::span(drivers).subspan(1, 1), {}), "a driver for 32-bit programs");
}

TEST(Drivers, ThatShowNothingAreToldWithWhatIsMissing) {
  const std::vector<std::string> missing{"/proc (mount it)", "/sys (mount it)"};
  const ListedDriver sound{.api = Api::opencl, .choice = {.file = "a.icd"}, .is_sound = true};
  const ListedDriver crashed{.api = Api::opencl, .choice = {.file = "b.icd"}, .failure = "crashed"};
  const std::string told = "; what drivers may need is missing here: /proc (mount it); /sys (mount it)";
  EXPECT_TRUE(problem_of(Api::opencl, std::vector{sound}, missing).ends_with(told));
  EXPECT_EQ(problem_of(Api::opencl, std::vector{sound, crashed}, missing), "b.icd: crashed" + told);
  EXPECT_EQ(problem_of(Api::opencl, std::vector{with_device(Api::opencl, "c.icd", "")}, missing), "");
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
  EXPECT_EQ(problem_of(Api::vulkan, drivers, {}), "");
  EXPECT_EQ(superfluous(Api::vulkan, drivers).size(), 2u);
}

TEST(Drivers, WithWhichLayersFailAreToldOnce) {
  std::vector drivers{with_device(Api::vulkan, "a.json", "/lib/a.so"), with_device(Api::vulkan, "b.json", "/lib/b.so")};
  for (ListedDriver& driver : drivers) driver.with_layers = "crashed";
  const std::vector<std::string> said = superfluous(Api::vulkan, drivers);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("without layers"), std::string::npos);
  EXPECT_NE(said[0].find("(crashed)"), std::string::npos);
  EXPECT_EQ(problem_of(Api::vulkan, drivers, {}), "");
}

}  // namespace
}  // namespace sonde::session
