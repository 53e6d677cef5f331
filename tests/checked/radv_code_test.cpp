// What a compiler makes of a walk decides which cache is measured: Mesa's for AMD's GPUs shows its code here, on any
// machine. With RADV_FORCE_FAMILY it compiles for a GPU that is not there, which has neither memory nor fences: those
// are made up where volk loads their functions (linker option --wrap). The GPU's names are arguments, the first that
// this Mesa knows is taken.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <volk.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/vulkan/vulkan.hpp"
#include "kernels.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/stream/stream_walk.hpp"
#include "workloads/walk/single_item.hpp"

namespace {

PFN_vkGetBufferMemoryRequirements real_requirements = nullptr;

VKAPI_ATTR void VKAPI_CALL one_memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) {
  *memory = {};
  memory->memoryHeapCount = memory->memoryTypeCount = 1;
  memory->memoryHeaps[0] = {.size = 1 << 30, .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  memory->memoryTypes[0].propertyFlags =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

VKAPI_ATTR void VKAPI_CALL needs_that_memory(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needed) {
  real_requirements(device, buffer, needed);
  needed->memoryTypeBits = 1;
}

VKAPI_ATTR VkResult VKAPI_CALL no_fence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks*,
                                        VkFence* fence) {
  *fence = VK_NULL_HANDLE;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL is_idle(VkDevice) { return VK_SUCCESS; }

}  // namespace

extern "C" {
void __real_volkLoadInstanceOnly(VkInstance instance);
void __real_volkLoadDevice(VkDevice device);

void __wrap_volkLoadInstanceOnly(VkInstance instance) {
  __real_volkLoadInstanceOnly(instance);
  vkGetPhysicalDeviceMemoryProperties = one_memory;
}

void __wrap_volkLoadDevice(VkDevice device) {
  __real_volkLoadDevice(device);
  real_requirements = vkGetBufferMemoryRequirements;
  vkGetBufferMemoryRequirements = needs_that_memory;
  vkCreateFence = no_fence;
  vkDeviceWaitIdle = is_idle;
}
}

namespace sonde::workloads {
namespace {

using device::vulkan::BufferAccess;

/// A kernel's instructions, in order.
using Code = std::vector<std::string>;

Code code_of(const std::string& listing) {
  Code code;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    if (words >> first && first.front() != ';' && first.back() != ':') code.push_back(first);
  }
  return code;
}

using Beginnings = std::vector<std::string_view>;

/// GCN to RDNA 3 have one instruction for it, RDNA 4 one for each kind of access.
bool is_wait(std::string_view instruction) { return instruction.starts_with("s_wait"); }

bool is_one_of(std::string_view instruction, const Beginnings& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return instruction.starts_with(begin); });
}

std::int64_t count(const Code& code, const Beginnings& beginnings) {
  return std::ranges::count_if(code, [&](const std::string& one) { return is_one_of(one, beginnings); });
}

/// Most wide loads that are on their way together.
int most_in_flight(const Code& code) {
  int most = 0;
  int now = 0;
  for (const std::string& one : code) {
    if (is_wait(one)) now = 0;
    if (one.find("load") != std::string::npos &&
        (one.ends_with("x4") || one.ends_with("b128") || one.ends_with("xyzw")))
      most = std::max(most, ++now);
  }
  return most;
}

class RadvCode : public testing::TestWithParam<BufferAccess> {
 protected:
  void SetUp() override {
    try {
      device = device::vulkan::open(0, GetParam());
    } catch (const device::Unsupported& reason) {
      GTEST_SKIP() << "No driver: " << reason.what();
    }
    if (device->info().name.find("Null hardware") == std::string::npos) {
      GTEST_SKIP() << "No driver: this Mesa makes no device of RADV_FORCE_FAMILY";
    }
  }

  /// Of a walk over so little that its chain's words count in bytes.
  std::string listing_of(const device::KernelSource& source) {
    const std::array<device::Constant, 1> constants{{{"OFFSET_SHIFT", 0}}};
    const bool by_offset =
        &source == &kernels::chase || &source == &kernels::chase_scalar || &source == &kernels::chase_atomic;
    return device
        ->make_kernel(source, single_item_group(device->info()),
                      by_offset ? std::span<const device::Constant>(constants) : std::span<const device::Constant>())
        ->listing();
  }

  std::string listing_of_stream(const device::KernelSource& source) {
    const StreamShape shape{.group_size = 64, .groups = 16, .vector_words = 4, .in_flight = 4};
    return device->make_kernel(source, shape.group_size, shape.constants())->listing();
  }

  std::unique_ptr<device::Device> device;
};

TEST_P(RadvCode, WalksOfTheVectorPathMissTheScalarCacheAndKeepTheirAddressInVectorRegisters) {
  for (const device::KernelSource* walk : {&kernels::chase, &kernels::independent_chase, &kernels::chase_by_many}) {
    const std::string listing = listing_of(*walk);
    const Code code = code_of(listing);
    EXPECT_GE(count(code, {"global_load", "flat_load", "buffer_load"}), hops_per_trip) << walk->name;
    EXPECT_LT(count(code, {"s_load", "s_buffer_load", "v_readfirstlane"}), hops_per_trip) << walk->name;
    EXPECT_TRUE(is_one_of(most_frequent_load(listing), {"global_load", "flat_load", "buffer_load"})) << walk->name;
  }
}

TEST_P(RadvCode, AHopByAddressIsTheLoadAlone) {
  if (GetParam() == BufferAccess::descriptors) GTEST_SKIP() << "an index is computed";
  if (device->info().name.find("POLARIS") != std::string::npos) GTEST_SKIP() << "adds no offset to a base";
  for (const device::KernelSource* walk : {&kernels::chase, &kernels::chase_scalar, &kernels::chase_atomic}) {
    const std::string listing = listing_of(*walk);
    const Code code = code_of(listing);
    const std::string hop = most_frequent_load(listing);
    int alone = 0;
    for (std::size_t i = 0; i + 2 < code.size(); ++i) {
      alone += code[i] == hop && is_wait(code[i + 1]) && code[i + 2] == hop ? 1 : 0;
    }
    EXPECT_GE(alone + 2, static_cast<int>(hops_per_trip)) << walk->name << ": " << hop;
    // The loop's own instructions run while a trip's last load is under way.
    const auto after_last = std::find(code.rbegin(), code.rend(), hop).base();
    const auto next = std::find_if(after_last, code.end(), [](const std::string& one) {
      return is_wait(one) || one.starts_with("s_branch") || one.starts_with("s_cbranch");
    });
    ASSERT_NE(next, code.end()) << walk->name;
    EXPECT_FALSE(is_wait(*next)) << walk->name << ": " << *next;
  }
}

TEST_P(RadvCode, TheCoresCounterIsReadBeforeAndAfterTheArithmetic) {
  const Code code = code_of(listing_of(kernels::clock_rate));
  const auto is_counter = [](const std::string& one) { return is_one_of(one, {"s_memtime", "s_getreg"}); };
  const auto is_arithmetic = [](const std::string& one) {
    return is_one_of(one, {"v_mul_lo", "s_mul_i32", "v_mad_u"});
  };
  const auto before = std::ranges::find_if(code, is_counter);
  ASSERT_NE(before, code.end());
  // RDNA 4 reads it in halves.
  const auto after = std::find_if(code.rbegin(), code.rend(), is_counter).base();
  EXPECT_GE(std::count_if(before, after, is_arithmetic), steps_per_trip);
  EXPECT_LE(std::count_if(code.begin(), before, is_arithmetic), 1);  // the item's number
}

TEST_P(RadvCode, TheWalkBesideStreamsIsTheVectorPathsToo) {
  const Code code = code_of(listing_of_stream(kernels::chase_loaded));
  const auto narrow = std::ranges::count_if(code, [](const std::string& one) {
    return is_one_of(one, {"global_load", "flat_load", "buffer_load"}) &&
           (one.ends_with("_dword") || one.ends_with("_b32"));
  });
  EXPECT_GE(narrow, hops_per_trip);
  EXPECT_LT(count(code, {"v_readfirstlane"}), hops_per_trip);
  EXPECT_GE(most_in_flight(code), 4);
}

TEST_P(RadvCode, EveryOtherPathIsTakenByItsOwnInstruction) {
  const std::vector<std::pair<const device::KernelSource*, Beginnings>> paths{
      {&kernels::chase_scalar, {"s_load", "s_buffer_load"}},
      {&kernels::chase_constant, {"s_load", "s_buffer_load"}},
      {&kernels::chase_image, {"buffer_load_format"}},
      {&kernels::chase_local, {"ds_read", "ds_load"}},
      {&kernels::chase_atomic, {"global_atomic_add", "flat_atomic_add", "buffer_atomic_add"}}};
  for (const auto& [walk, own] : paths) {
    const std::string listing = listing_of(*walk);
    const Code code = code_of(listing);
    EXPECT_GE(count(code, own), hops_per_trip) << walk->name;
    EXPECT_LT(count(code, {"v_readfirstlane"}), hops_per_trip) << walk->name;
    EXPECT_TRUE(is_one_of(most_frequent_load(listing), own)) << walk->name << ": " << most_frequent_load(listing);
  }
}

TEST_P(RadvCode, StreamsHaveWideLoadsInFlight) {
  for (const device::KernelSource* stream :
       {&kernels::stream_read, &kernels::stream_copy, &kernels::stream_add, &kernels::stream_triad,
        &kernels::stream_add_dialled, &kernels::stream_image, &kernels::roofline}) {
    EXPECT_GE(most_in_flight(code_of(listing_of_stream(*stream))), 4) << stream->name;
  }
  const Code written = code_of(listing_of_stream(kernels::stream_write));
  const auto wide = std::ranges::count_if(written, [](const std::string& one) {
    return one.find("_store_") != std::string::npos && (one.ends_with("x4") || one.ends_with("b128"));
  });
  EXPECT_GE(wide, 4);
}

/// How often one of these instructions stands in a listing; two may stand in a line, which begins them together.
std::int64_t occurrences(const std::string& listing, const std::string& pattern) {
  const std::regex word(pattern);
  return std::distance(std::sregex_iterator(listing.begin(), listing.end(), word), std::sregex_iterator());
}

// Every step of every accumulator is there, none is folded, and narrow numbers are packed.
TEST_P(RadvCode, ArithmeticIsAsManyInstructionsAsItHasSteps) {
  const ArithmeticShape shape{.width = 2, .accumulators = 4, .unroll = 4, .group_size = 64, .groups = 4};
  const std::int64_t vectors = std::int64_t{2} * shape.unroll * shape.accumulators;
  const bool polaris = device->info().name.find("POLARIS") != std::string::npos;
  ArithmeticShape alone = shape;
  alone.paired = false;
  const auto expect = [&](NumberType type, NumberOperation operation, const std::string& pattern, std::int64_t steps) {
    if (device->info().missing_types.contains(std::string(device::facts_of(type).name))) return;
    EXPECT_EQ(occurrences(arithmetic_kernel(*device, type, operation, shape)->listing(), pattern), steps) << pattern;
    // Of integers alone both operands are the same for all items, of which an instruction of GCN takes one.
    if (operation != NumberOperation::fma || !device::facts_of(type).floating || !can_be_alone(type)) return;
    const std::string listing = arithmetic_kernel(*device, type, operation, alone)->listing();
    EXPECT_EQ(occurrences(listing, pattern), steps) << pattern << ", of one number alone";
  };
  expect(NumberType::fp32, NumberOperation::fma, "v_(dual_)?(fma|fmac|mac|mad)_(legacy_)?f32", 2 * vectors);
  expect(NumberType::fp32, NumberOperation::add, "v_(dual_)?(add|sub|subrev)_f32", 2 * vectors);
  expect(NumberType::fp32, NumberOperation::multiply, "v_(dual_)?mul_f32", 2 * vectors);
  expect(NumberType::fp64, NumberOperation::fma, "v_(fma|fmac)_f64", 2 * vectors);
  if (!polaris) {
    expect(NumberType::fp16, NumberOperation::fma, "v_pk_fma_f16", vectors);
    expect(NumberType::int16, NumberOperation::fma, "v_pk_mad_u16", vectors);
  }
  if (!device->info().emulated_types.contains("dot4"))
    expect(NumberType::four_bytes, NumberOperation::fma, "v_dot4c?_i32_iu?8", 2 * vectors);
}

INSTANTIATE_TEST_SUITE_P(, RadvCode, testing::Values(BufferAccess::best, BufferAccess::descriptors),
                         [](const testing::TestParamInfo<BufferAccess>& access) {
                           return access.param == BufferAccess::best ? "addresses" : "descriptors";
                         });

}  // namespace
}  // namespace sonde::workloads

namespace {

/// Mesa ends a process that forces a family it does not know, so another one tries.
bool is_known(const char* family) {
  setenv("RADV_FORCE_FAMILY", family, 1);  // NOLINT(concurrency-mt-unsafe): no thread has begun
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    try {
      sonde::device::vulkan::open(0, sonde::device::vulkan::BufferAccess::best);
    } catch (const sonde::device::Unsupported&) {  // for the tests to say
    }
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  const std::span<char*> families(arguments + 1, arguments + count);
  if (std::ranges::none_of(families, is_known)) {
    std::puts("No driver: this Mesa knows none of these GPUs");
    return 0;
  }
  return RUN_ALL_TESTS();
}
