// Words that simulated kernels wrote and nobody has read yet: what is computed when somebody does, and what never.

#include <gtest/gtest.h>

#include <string>

#include "device/model/storage.hpp"

namespace sonde::device::model {
namespace {

struct ModelUnread : testing::Test {
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::shared_ptr<AddressSpace> space = std::make_shared<AddressSpace>(1 << 20, 4096);
  HostCosts costs{.copy = {}, .clearing_gbps = 1};
  std::string computed;

  std::unique_ptr<Storage> buffer() { return std::make_unique<Storage>(space, 4096, costs, shared); }
  void write(Storage& target, const std::vector<const Storage*>& inputs, char name, std::uint32_t first = 0,
             std::uint32_t count = 4) {
    target.write_later({&target, inputs, {}, first, count, 4, 1, [this, name] { computed += name; }});
  }
};

TEST_F(ModelUnread, WhatIsWrittenOverIsNeverComputed) {
  const auto a = buffer();
  write(*a, {}, '1');
  write(*a, {}, '2');
  EXPECT_EQ(computed, "");
  a->settle();
  EXPECT_EQ(computed, "2");
  a->settle();
  EXPECT_EQ(computed, "2");
}

TEST_F(ModelUnread, PartsAreWrittenOverTogether) {
  const auto a = buffer();
  write(*a, {}, '1', 0, 2);
  write(*a, {}, '2', 2, 2);
  write(*a, {}, '3', 3, 2);  // parts 3 and 0
  write(*a, {}, '4', 1, 1);
  a->settle();
  EXPECT_EQ(computed, "234") << "parts 0 and 1 of the first are written by two others";
}

TEST_F(ModelUnread, WhatAKernelReadIsComputedBeforeItIsWrittenOver) {
  const auto a = buffer();
  const auto b = buffer();
  write(*a, {}, '1');
  write(*b, {a.get()}, '2');
  write(*a, {}, '3');
  write(*b, {b.get()}, '4');
  b->settle();
  EXPECT_EQ(computed, "1234");
}

TEST_F(ModelUnread, ABufferThatEndsIsComputedForOthersOnly) {
  auto a = buffer();
  const auto b = buffer();
  write(*a, {}, '1');
  write(*b, {a.get()}, '2');
  write(*a, {}, '3');
  a.reset();
  EXPECT_EQ(computed, "12");
}

TEST_F(ModelUnread, TheHostsReadsAndWritesComeAfterTheKernel) {
  const auto a = buffer();
  std::vector<std::byte> bytes(4);
  write(*a, {}, '1');
  a->read(0, bytes);
  EXPECT_EQ(computed, "1");
  write(*a, {}, '2');
  a->write(0, bytes);
  EXPECT_EQ(computed, "12");
}

}  // namespace
}  // namespace sonde::device::model
