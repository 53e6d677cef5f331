// The configuration words that the kernel is given for each known machine.
#include "counters/traffic/sources.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "support/counter_trees.hpp"

namespace sonde::counters {
namespace {

using Words = std::vector<std::uint64_t>;

const EventPlan* known_plan(const test::FakeTree& tree) {
  std::string ignored;
  return plan_of(tree.root(), ignored);
}

std::string why_no_plan(const test::FakeTree& tree) {
  std::string why_not;
  EXPECT_EQ(plan_of(tree.root(), why_not), nullptr);
  return why_not;
}

/// The words of all events with a role, on one PMU of a tree.
Words words(const test::FakeTree& tree, const std::string& name, const EventPlan& plan, Role role) {
  const auto pmu = find_pmu(tree.root(), name);
  EXPECT_TRUE(pmu);
  Words all;
  for (const PlannedPmu& planned : plan.pmus) {
    if (!name.starts_with(planned.name)) continue;
    for (const PlannedEvent& event : planned.events) {
      if (event.role != role) continue;
      std::string problem;
      for (const std::uint64_t word : configurations_of(*pmu, event, problem)) all.push_back(word);
      EXPECT_EQ(problem, "");
    }
  }
  return all;
}

unsigned count_bytes(const EventPlan& plan, Role role) {
  for (const PlannedPmu& planned : plan.pmus) {
    for (const PlannedEvent& event : planned.events) {
      if (event.role == role) return event.count_bytes;
    }
  }
  return 0;
}

TEST(PmuFiles, FormatsAreListsOfBits) {
  EXPECT_EQ(parse_format("config:0-7,32-37\n"), (Format{{0, 7}, {32, 37}}));
  EXPECT_EQ(parse_format("config:46"), (Format{{46, 46}}));
  EXPECT_EQ(parse_format("config:0-63"), (Format{{0, 63}}));
  for (const char* text :
       {"", "config1:0-7", "config:", "config:7-0", "config:0-64", "config:0-7,", "config:a-b", "0-7"})
    EXPECT_FALSE(parse_format(text)) << text;
}

TEST(PmuFiles, ProcessorsAreAList) {
  EXPECT_EQ(parse_cpus("0\n"), std::vector<int>{0});
  EXPECT_EQ(parse_cpus("0-2,48"), (std::vector<int>{0, 1, 2, 48}));
  for (const char* text : {"", "\n", "x", "3-1", "0-99999999"}) EXPECT_FALSE(parse_cpus(text)) << text;
}

TEST(PmuFiles, APmuIsWhatItsFilesSay) {
  const test::FakeTree tree;
  test::write_tiger_lake_or_later(tree, 154);
  const auto found = find_pmus(tree.root(), "uncore_imc_free_running_");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].name, "uncore_imc_free_running_1");
  EXPECT_EQ(found[1].type, 30u);
  EXPECT_EQ(found[1].cpus, std::vector<int>{0});
  EXPECT_EQ(found[1].formats.size(), 2u);
  EXPECT_EQ(find_pmus(tree.root(), "uncore_imc_").size(), 2u);  // and not the free-running ones
  EXPECT_FALSE(find_pmu(tree.root(), "amd_df"));
}

TEST(Encode, FieldsGoWhereTheFormatHasThem) {
  const test::FakeTree tree;
  test::write_zen4(tree, 0);
  const Pmu fabric = *find_pmu(tree.root(), "amd_df");
  std::string problem;
  EXPECT_EQ(encode(fabric, std::array{Field{"event", 0x11F}, Field{"umask", 0xFFE}}, problem), 0x10F00FE1Fu);
  EXPECT_EQ(encode(fabric, std::array{Field{"event", 0x41E}, Field{"umask", 0x7FE}}, problem), 0x40700FE1Eu);
  EXPECT_EQ(encode(fabric, std::array{Field{"event", 0x81F}, Field{"umask", 0x7FF}}, problem), 0x80700FF1Fu);
  EXPECT_EQ(problem, "");
}

TEST(Encode, WhatDoesNotFitIsAnError) {
  const test::FakeTree tree;
  test::write_zen2(tree);
  const Pmu fabric = *find_pmu(tree.root(), "amd_df");
  std::string problem;
  EXPECT_FALSE(encode(fabric, std::array{Field{"event", 0x07}, Field{"umask", 0xFFE}}, problem));
  EXPECT_EQ(problem, "0xffe does not fit into the 8 bits of amd_df's field 'umask'");
  EXPECT_FALSE(encode(fabric, std::array{Field{"rdwrmask", 1}}, problem));
  EXPECT_EQ(problem, "amd_df has no field 'rdwrmask'");
  EXPECT_FALSE(encode(fabric, std::array{Field{"event", 1 << 14}}, problem));
}

TEST(EventPlan, Zen4AndLaterCountBeatsAtEachStation) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  ASSERT_EQ(known_plan(tree), &amd_plan);
  const Words reads = words(tree, "amd_df", amd_plan, Role::fabric_read);
  ASSERT_EQ(reads.size(), 16u);
  EXPECT_EQ(reads[0], 0x0F00FE1Fu);
  EXPECT_EQ(reads[1], 0x0F00FE5Fu);
  EXPECT_EQ(reads[2], 0x0F00FE9Fu);
  EXPECT_EQ(reads[3], 0x0F00FEDFu);
  EXPECT_EQ(reads[4], 0x10F00FE1Fu);
  EXPECT_EQ(reads[8], 0x20F00FE1Fu);
  EXPECT_EQ(reads[12], 0x30F00FE1Fu);
  const Words writes = words(tree, "amd_df", amd_plan, Role::fabric_write);
  EXPECT_EQ(writes[0], 0x0F00FF1Fu);
  EXPECT_EQ(writes[15], 0x30F00FFDFu);
  const Words cpu_reads = words(tree, "amd_df", amd_plan, Role::cpu_read);
  ASSERT_EQ(cpu_reads.size(), 16u);  // two interfaces of eight
  EXPECT_EQ(cpu_reads[0], 0x40700FE1Eu);
  EXPECT_EQ(cpu_reads[8], 0x40700FE1Fu);
  EXPECT_EQ(words(tree, "amd_df", amd_plan, Role::cpu_write)[0], 0x40700FF1Eu);
  EXPECT_EQ(count_bytes(amd_plan, Role::fabric_read), 64u);
  EXPECT_EQ(count_bytes(amd_plan, Role::cpu_read), 32u);
  EXPECT_EQ(count_bytes(amd_plan, Role::cpu_write), 64u);
}

TEST(EventPlan, MemoryControllersCountCommands) {
  const test::FakeTree tree;
  test::write_zen4(tree, 16);
  EXPECT_EQ(find_pmus(tree.root(), "amd_umc_").size(), 16u);
  EXPECT_EQ(words(tree, "amd_umc_15", amd_plan, Role::memory_read), Words{0x10A});
  EXPECT_EQ(words(tree, "amd_umc_15", amd_plan, Role::memory_write), Words{0x20A});
  EXPECT_EQ(words(tree, "amd_umc_15", amd_plan, Role::memory_clock), Words{0x000});
  EXPECT_EQ(count_bytes(amd_plan, Role::memory_read), 64u);
}

TEST(EventPlan, AnL3SamplesTheLatencyOfAllItsCores) {
  const test::FakeTree tree;
  test::write_zen4(tree, 2);
  EXPECT_EQ(find_pmu(tree.root(), "amd_l3")->cpus, (std::vector<int>{0, 8}));
  EXPECT_EQ(words(tree, "amd_l3", amd_plan, Role::l3_latency_ns), Words{0x0303C00000003FAC});
  EXPECT_EQ(words(tree, "amd_l3", amd_plan, Role::l3_samples), Words{0x0303C00000003FAD});
  EXPECT_EQ(count_bytes(amd_plan, Role::l3_latency_ns), 10u);  // nanoseconds
  EXPECT_EQ(count_bytes(amd_plan, Role::l3_samples), 1u);
  EXPECT_EQ(amd_plan.why_not.cpu_latency, "");
  for (const EventPlan* plan :
       {&amd_before_zen4_plan, &intel_before_tiger_lake_plan, &intel_free_running_plan, &intel_data_plan})
    EXPECT_NE(plan->why_not.cpu_latency, "") << plan->name;
}

TEST(EventPlan, TheFabricBeforeZen4IsCountedButNotTrusted) {
  const test::FakeTree tree;
  test::write_zen2(tree);
  ASSERT_EQ(known_plan(tree), &amd_before_zen4_plan);
  const Words requests = words(tree, "amd_df", amd_before_zen4_plan, Role::uncalibrated);
  EXPECT_EQ(requests, (Words{0x3807, 0x3847, 0x3887, 0x38C7, 0x100003807, 0x100003847, 0x100003887, 0x1000038C7}));
  EXPECT_NE(amd_before_zen4_plan.why_not.hit_rate, "");
  EXPECT_EQ(count_bytes(amd_before_zen4_plan, Role::fabric_read), 0u);
}

TEST(EventPlan, IntelBeforeTigerLakeTellsWhoAsked) {
  const test::FakeTree tree;
  test::write_skylake(tree);
  const EventPlan& plan = intel_before_tiger_lake_plan;
  ASSERT_EQ(known_plan(tree), &plan);
  const std::map<Role, std::uint64_t> expected{{Role::memory_read, 1},
                                               {Role::memory_write, 2},
                                               {Role::gpu_requests, 3},
                                               {Role::cpu_requests, 4},
                                               {Role::io_requests, 5}};
  for (const auto& [role, word] : expected) {
    EXPECT_EQ(words(tree, "uncore_imc", plan, role), Words{word});
    EXPECT_EQ(count_bytes(plan, role), 64u);
  }
}

TEST(EventPlan, FromTigerLakeToRaptorLakeTheFreeRunningCounters) {
  for (const int model : {140, 167, 151, 154, 183}) {
    const test::FakeTree tree;
    test::write_tiger_lake_or_later(tree, model);
    ASSERT_EQ(known_plan(tree), &intel_free_running_plan) << model;
    const char* const pmu = "uncore_imc_free_running_0";
    EXPECT_EQ(words(tree, pmu, intel_free_running_plan, Role::memory_read), Words{0x20FF});
    EXPECT_EQ(words(tree, pmu, intel_free_running_plan, Role::memory_write), Words{0x30FF});
    EXPECT_EQ(count_bytes(intel_free_running_plan, Role::memory_read), 64u);
  }
}

TEST(EventPlan, SinceMeteorLakePiecesOf32Bytes) {
  for (const int model : {170, 189, 198, 204}) {
    const test::FakeTree tree;
    test::write_tiger_lake_or_later(tree, model);
    ASSERT_EQ(known_plan(tree), &intel_data_plan) << model;
    EXPECT_EQ(words(tree, "uncore_imc_1", intel_data_plan, Role::memory_read), Words{0x3A});
    EXPECT_EQ(words(tree, "uncore_imc_1", intel_data_plan, Role::memory_write), Words{0x3B});
    EXPECT_EQ(count_bytes(intel_data_plan, Role::memory_write), 32u);
  }
}

TEST(EventPlan, AnUnknownProcessorIsSaidToBe) {
  const test::FakeTree tree;
  test::write_tiger_lake_or_later(tree, 143);  // a server
  EXPECT_NE(why_no_plan(tree).find("model 143"), std::string::npos);
}

TEST(EventPlan, NoCountersAreASentence) {
  const test::FakeTree tree;
  tree.write("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor lahf_lm\n");
  const std::string why = why_no_plan(tree);
  EXPECT_NE(why.find("amd_df"), std::string::npos);
  EXPECT_NE(why.find("6.0"), std::string::npos);
  EXPECT_NE(why.find("virtual machines"), std::string::npos);
}

}  // namespace
}  // namespace sonde::counters
