// Where loaders look for drivers and layers, and the libraries that their files name.

#include "os/driver_files.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

#include "records/input_files.hpp"
#include "support/fake_tree.hpp"

namespace sonde::os {
namespace {

using Names = std::vector<std::string>;

/// An environment in which no loader finds anything outside a folder; the one before comes back at the end.
class DriverFilesTest : public testing::Test {
 protected:
  DriverFilesTest() {
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS",
                             "VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH", "OCL_ICD_VENDORS",
                             "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS", "OPENCL_LAYER_PATH"})
      set(name, "");
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"})
      set(name, (tree_.root() / name).string());
    set("HOME", tree_.root().string());
  }
  // NOLINTBEGIN(concurrency-mt-unsafe): these tests start no thread
  ~DriverFilesTest() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  DriverFilesTest(const DriverFilesTest&) = delete;
  DriverFilesTest& operator=(const DriverFilesTest&) = delete;

  void set(const std::string& name, const std::string& value) {
    const char* const old = std::getenv(name.c_str());
    before_.emplace(name, old != nullptr ? std::optional<std::string>(old) : std::nullopt);
    setenv(name.c_str(), value.c_str(), 1);
  }
  // NOLINTEND(concurrency-mt-unsafe)
  [[nodiscard]] std::string made(const std::string& file, const std::string& text = "") const {
    return tree_.write(file, text).string();
  }
  /// Those of this test's own folder; a machine may have others in /etc.
  [[nodiscard]] Names own(const Names& all) const {
    Names found;
    for (const std::string& name : all) {
      if (name.starts_with(tree_.root().string())) found.push_back(name);
    }
    return found;
  }

  test::FakeTree tree_;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(DriverFilesTest, OfVulkanAreInTheFoldersOfItsLoaderInItsOrder) {
  const std::string data = made("XDG_DATA_DIRS/vulkan/icd.d/a.json");
  const std::string second = made("XDG_CONFIG_HOME/vulkan/icd.d/c.json");
  const std::string first = made("XDG_CONFIG_HOME/vulkan/icd.d/b.json");
  const std::string home = made("XDG_DATA_HOME/vulkan/icd.d/d.json");
  std::ignore = made("XDG_DATA_HOME/vulkan/icd.d/no-manifest.txt");
  EXPECT_EQ(own(driver_files(Loader::vulkan).drivers), (Names{first, second, home, data}));
}

TEST_F(DriverFilesTest, OfVulkanAreInTheUsersFoldersByDefault) {
  set("XDG_CONFIG_HOME", "");
  set("XDG_DATA_HOME", "");
  const std::string data = made(".local/share/vulkan/icd.d/a.json");
  const std::string config = made(".config/vulkan/icd.d/b.json");
  EXPECT_EQ(own(driver_files(Loader::vulkan).drivers), (Names{config, data}));
}

TEST_F(DriverFilesTest, OfVulkanAreThoseThatAVariableNamesAlone) {
  const std::string usual = made("XDG_DATA_HOME/vulkan/icd.d/usual.json");
  const std::string named = made("elsewhere/named.json");
  const std::string in_folder = made("folder/in-folder.json");
  set("VK_ICD_FILENAMES", usual);
  set("VK_DRIVER_FILES", named + ":/nonexistent.json::" + tree_.root().string() + "/folder:" + named);
  EXPECT_EQ(driver_files(Loader::vulkan).drivers, (Names{named, in_folder}));
  set("VK_DRIVER_FILES", "");
  EXPECT_EQ(driver_files(Loader::vulkan).drivers, Names{usual});
  set("VK_ICD_FILENAMES", "");
  set("VK_ADD_DRIVER_FILES", named);
  EXPECT_EQ(own(driver_files(Loader::vulkan).drivers), (Names{named, usual}));
}

TEST_F(DriverFilesTest, OfOpenclAreInAFolderOrWhatIsNamed) {
  const std::string b = made("vendors/b.icd");
  const std::string a = made("vendors/a.icd");
  std::ignore = made("vendors/a.txt");
  const std::string library = made("lib/libdriver.so.1");
  set("OPENCL_VENDOR_PATH", (tree_.root() / "vendors").string());
  EXPECT_EQ(own(driver_files(Loader::opencl).drivers), (Names{a, b}));
  set("OCL_ICD_VENDORS", "b.icd");
  EXPECT_EQ(driver_files(Loader::opencl).drivers, Names{b});
  for (const std::string& named : {a, library, std::string("libdriver.so.1")}) {
    set("OCL_ICD_VENDORS", named);
    EXPECT_EQ(driver_files(Loader::opencl).drivers, Names{named});
  }
  for (const char* none : {"/nonexistent", "/nonexistent/a.icd", "/nonexistent/lib.so"}) {
    set("OCL_ICD_VENDORS", none);
    EXPECT_EQ(driver_files(Loader::opencl).drivers, Names{}) << none;
  }
  set("OCL_ICD_FILENAMES", "libone.so:libtwo.so");
  EXPECT_EQ(driver_files(Loader::opencl).drivers, (Names{"libone.so", "libtwo.so"}));
}

TEST_F(DriverFilesTest, HaveLayersBesideThem) {
  const std::string implicit = made("XDG_DATA_HOME/vulkan/implicit_layer.d/a.json");
  set("VK_INSTANCE_LAYERS", "VK_LAYER_one:VK_LAYER_two");
  const Names of_vulkan = driver_files(Loader::vulkan).layers;
  EXPECT_EQ(own(of_vulkan), Names{implicit});
  EXPECT_EQ(Names(of_vulkan.end() - 2, of_vulkan.end()), (Names{"VK_LAYER_one", "VK_LAYER_two"}));
  set("OPENCL_LAYERS", "one.so");
  set("OPENCL_LAYER_PATH", (tree_.root() / "layers").string());
  const std::string lay = made("layers/b.lay");
  EXPECT_EQ(driver_files(Loader::opencl).layers, (Names{"one.so", lay}));
}

TEST_F(DriverFilesTest, NameLibraries) {
  const std::string manifest = R"({"ICD": {"library_path": ")";
  EXPECT_EQ(records::driver_library(made("a.icd", "libpocl.so.2\n")), "libpocl.so.2");
  EXPECT_EQ(records::driver_library(made("b.icd", "/opt/lib.so\r\nmore")), "/opt/lib.so");
  EXPECT_EQ(records::driver_library("libpocl.so"), "libpocl.so");
  EXPECT_EQ(records::driver_library(made("a.json", manifest + "libvulkan_lvp.so\"}}")), "libvulkan_lvp.so");
  EXPECT_EQ(records::driver_library(made("b.json", manifest + "/opt/lib.so\"}}")), "/opt/lib.so");
  EXPECT_EQ(records::driver_library(made("in/c.json", manifest + "../lib.so\"}}")), (tree_.root() / "lib.so").string());
}

TEST_F(DriverFilesTest, ThatNameNoneAreRefused) {
  for (const char* text : {"", "[]", "{}", "{\"ICD\": []}", "{\"ICD\": {\"library_path\": 7}}"})
    EXPECT_THROW(std::ignore = records::driver_library(made("a.json", text)), records::InvalidFile) << text;
  EXPECT_THROW(std::ignore = records::driver_library(made("a.icd", "\n")), records::InvalidFile);
  EXPECT_THROW(std::ignore = records::driver_library(tree_.root() / "none.icd"), records::InvalidFile);
}

/// Drivers that have all that they need, below the root of this test's folder.
class MissingForDriversTest : public DriverFilesTest {
 protected:
  MissingForDriversTest() {
    for (const char* file : {"proc/self/stat", "sys/devices/system/cpu/online", "cache/a"}) std::ignore = made(file);
    set("POCL_CACHE_DIR", "");
    set("XDG_CACHE_HOME", in("cache/new/folder"));
  }
  [[nodiscard]] std::string in(const std::string& folder) const { return (tree_.root() / folder).string(); }
  [[nodiscard]] std::string missing() const {
    return fmt::format("{}", fmt::join(missing_for_drivers(tree_.root()), "; "));
  }
};

TEST_F(MissingForDriversTest, IsNothingWhereAllIsThere) {
  EXPECT_EQ(missing(), "");
  EXPECT_TRUE(std::filesystem::exists(in("cache")) && !std::filesystem::exists(in("cache/new")));
}

TEST_F(MissingForDriversTest, AreTheSystemsFilesByTheirFolders) {
  tree_.remove("proc/self");
  EXPECT_EQ(missing(), "/proc (as root: mount -t proc proc /proc; or have the container show it)");
  tree_.remove("sys");
  EXPECT_NE(missing().find("mount -t sysfs sysfs /sys"), std::string::npos);
}

TEST_F(MissingForDriversTest, IsAFolderForCachesByTheVariableThatNamesIt) {
  const std::string no_folder = made("file") + "/a";  // that nobody may write, root not either
  set("XDG_CACHE_HOME", no_folder);
  EXPECT_EQ(missing(),
            "a folder for caches that may be written, which " + no_folder + " may not (set XDG_CACHE_HOME to one)");
  set("POCL_CACHE_DIR", in("cache"));
  EXPECT_EQ(missing(), "");
  set("POCL_CACHE_DIR", "");
  set("XDG_CACHE_HOME", "");
  EXPECT_EQ(missing(), "");
  set("HOME", no_folder);
  EXPECT_NE(missing().find(no_folder + "/.cache may not"), std::string::npos);
}

TEST_F(MissingForDriversTest, IsTheRightToADeviceThatOthersMayOpen) {
  const std::string file = made("dev/dri/renderD128");
  std::ignore = made("dev/dri/card0");
  EXPECT_EQ(missing(), "");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const bool is_root = geteuid() == 0;
  constexpr uid_t nobody = 65534;
  if (is_root) {
    std::filesystem::permissions(in("cache"), std::filesystem::perms::all);
    ASSERT_EQ(seteuid(nobody), 0);
  }
  const std::string told = missing();
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_EQ(told, "the right to open " + file + " (join the group that it belongs to, mostly render or video)");
}

}  // namespace
}  // namespace sonde::os
