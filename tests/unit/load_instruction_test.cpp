// Which instruction a driver made of a walk's hop, from listings as drivers write them.

#include "workloads/walk/single_item.hpp"

#include <gtest/gtest.h>

namespace sonde::workloads {
namespace {

TEST(LoadInstruction, IsTheOneThatTheUnrolledWalkConsistsOf) {
  EXPECT_EQ(most_frequent_load("BB0:\n"
                               "\ts_load_b128 s[4:7], s[2:3], null    ; f4040101\n"
                               "\tglobal_load_b32 v1, v2, s[4:5]      ; dc520000\n"
                               "\ts_waitcnt vmcnt(0)\n"
                               "\tglobal_load_b32 v1, v1, s[4:5]\n"),
            "global_load_b32");
  EXPECT_EQ(most_frequent_load("s_load_dword s0, s[4:5], s0\ns_waitcnt lgkmcnt(0)\ns_load_dword s0, s[4:5], s0\n"
                               "global_store_dword v0, v1, s[2:3]\n"),
            "s_load_dword");
  EXPECT_EQ(most_frequent_load(
                "/*0090*/ LDG.E R5, [R2.64] ;\n/*00a0*/ IMAD.WIDE R2, R5, 0x4, R8 ;\n/*00b0*/ LDG.E R5, [R2.64] ;\n"
                "/*00c0*/ ULDC.64 UR4, c[0x0][0x118] ;"),
            "LDG.E");
  EXPECT_EQ(most_frequent_load(
                "ld.global.u32 \t%r5, [%rd6];\nmul.wide.u32 %rd7, %r5, 4;\nld.param.u64 %rd1, [chase_param_0];"),
            "ld.global.u32");
}

TEST(LoadInstruction, IsNothingWhereTheListingIsOfAnotherKind) {
  EXPECT_EQ(most_frequent_load(""), "");
  EXPECT_EQ(most_frequent_load("send(8) g5UD g3UD nullUD 0x02106efd"), "");
  EXPECT_EQ(most_frequent_load("  ,;;\n"), "");
}

}  // namespace
}  // namespace sonde::workloads
