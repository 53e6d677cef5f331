// A library that is not there, and one that is and cannot be loaded.

#include "os/library.hpp"

#include <gtest/gtest.h>

#include <string>

#include "device/device.hpp"
#include "support/fake_tree.hpp"

namespace sonde::os {
namespace {

TEST(Library, ThatIsNotThereIsMissing) {
  const Library none("libthere-is-none-of-this-name.so.1");
  EXPECT_FALSE(none);
  EXPECT_TRUE(none.is_missing()) << none.why_not();
  EXPECT_EQ(device::loader_problem("OpenCL", "a-package", none),
            "no OpenCL loader; install one " + loader_package("a-package"));
}

TEST(Library, ThatIsThereAndCannotBeLoadedIsNotMissing) {
  const test::FakeTree tree;
  const Library broken(tree.write("libbroken.so.1", "no library").string());
  EXPECT_FALSE(broken);
  EXPECT_FALSE(broken.is_missing()) << broken.why_not();
  const std::string said = device::loader_problem("Vulkan", "a-package", broken);
  EXPECT_TRUE(said.starts_with("the Vulkan loader is there, and cannot be loaded;")) << said;
  EXPECT_NE(said.find(broken.why_not()), std::string::npos);
}

TEST(Library, ThatIsThereIsNotMissing) {
#if defined(_WIN32)
  const Library libc("msvcrt.dll");
#else
  const Library libc("libc.so.6");
#endif
  EXPECT_TRUE(libc);
  EXPECT_FALSE(libc.is_missing());
}

}  // namespace
}  // namespace sonde::os
