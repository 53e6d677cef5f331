// The name of a processor and whether its machine is virtual, from /proc/cpuinfo of x86-64 and from the files of Arm64.

#include "os/linux_files.hpp"

#include <gtest/gtest.h>

#include "support/fake_tree.hpp"

namespace sonde::os {
namespace {

using test::FakeTree;

constexpr const char* cpuinfo_of_arm =
    "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
    "processor\t: 1\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n"
    "processor\t: 2\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n";

std::string zero_ended(const std::string& text) { return text + '\0'; }

TEST(Processor, IsCalledAsItsMakerDoes) {
  const FakeTree tree;
  tree.write("proc/cpuinfo", "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9554\nflags\t\t: fpu\n");
  EXPECT_EQ(processor_name(tree.root()), "AMD EPYC 9554");
}

TEST(Processor, OfArmIsCalledByTheRegisterOfEachCore) {
  const FakeTree tree;
  tree.write("proc/cpuinfo", "processor : 0\nBogoMIPS : 50.00\n");
  tree.write("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n");
  tree.write("sys/devices/system/cpu/cpu1/regs/identification/midr_el1", "0x00000000413fd0c1\n");
  tree.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(processor_name(tree.root()), "Arm Neoverse-N1");
}

TEST(Processor, OfTwoKindsOfCoresHasBothNames) {
  const FakeTree tree;
  tree.write("proc/cpuinfo", cpuinfo_of_arm);
  EXPECT_EQ(processor_name(tree.root()), "Arm Cortex-A55 and Arm Cortex-A76");
}

TEST(Processor, ThatIsNotKnownHereHasItsNumbers) {
  const FakeTree tree;
  tree.write("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000610f0220\n");
  EXPECT_EQ(processor_name(tree.root()), "processor of implementer 0x61, part 0x22");
}

TEST(Processor, IsCalledAfterItsBoardWhereNothingElseSays) {
  const FakeTree tree;
  EXPECT_EQ(processor_name(tree.root()), "");
  tree.write("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "unreadable\n");
  tree.write("proc/device-tree/model", zero_ended("Some Board, Rev 2"));
  EXPECT_EQ(processor_name(tree.root()), "Some Board, Rev 2");
}

TEST(Virtualised, IsWhatTheFlagOfX86Says) {
  const FakeTree tree;
  tree.write("sys/class/dmi/id/sys_vendor", "QEMU\n");
  tree.write("proc/cpuinfo", "flags\t\t: fpu vme\n");
  EXPECT_EQ(is_virtualised(tree.root()), false);
  tree.write("proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
  EXPECT_EQ(is_virtualised(tree.root()), true);
}

TEST(Virtualised, IsNotKnownWhereNothingTells) {
  const FakeTree tree;
  tree.write("proc/cpuinfo", cpuinfo_of_arm);
  EXPECT_EQ(is_virtualised(tree.root()), std::nullopt);
}

TEST(Virtualised, IsToldByTheFirmware) {
  const FakeTree tree;
  tree.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  tree.write("sys/class/dmi/id/product_name", "c7g.large\n");
  EXPECT_EQ(is_virtualised(tree.root()), true);
  tree.write("sys/class/dmi/id/product_name", "c7g.metal\n");
  EXPECT_EQ(is_virtualised(tree.root()), false);
  tree.write("sys/class/dmi/id/sys_vendor", "Some Maker\n");
  tree.write("sys/class/dmi/id/product_name", "Server 7\n");
  EXPECT_EQ(is_virtualised(tree.root()), false);
}

TEST(Virtualised, IsToldByTheDeviceTree) {
  const FakeTree tree;
  tree.write("proc/device-tree/compatible", zero_ended("vendor,board"));
  EXPECT_EQ(is_virtualised(tree.root()), false);
  tree.write("proc/device-tree/compatible", zero_ended("linux,dummy-virt"));
  EXPECT_EQ(is_virtualised(tree.root()), true);
  tree.write("proc/device-tree/compatible", zero_ended("vendor,board"));
  tree.write("proc/device-tree/hypervisor/compatible", zero_ended("xen,xen"));
  EXPECT_EQ(is_virtualised(tree.root()), true);
}

TEST(Virtualised, IsToldByXen) {
  const FakeTree tree;
  tree.write("sys/hypervisor/type", "xen\n");
  EXPECT_EQ(is_virtualised(tree.root()), true);
}

}  // namespace
}  // namespace sonde::os
