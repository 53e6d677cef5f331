// The work of the roofline: operations a byte are whole rounds, and work that was not done is noticed.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "workloads/arithmetic/roofline.hpp"

namespace sonde::workloads {
namespace {

TEST(OperationsDial, IsWholeRoundsUnrolledOrOneOnSomeOfEightTrips) {
  const auto is = [](double operations, std::uint32_t loops, std::uint32_t unroll, std::uint32_t of_eight) {
    const OperationsDial dial = dial_of(operations);
    EXPECT_EQ(dial.loops, loops) << operations;
    EXPECT_EQ(dial.unroll, unroll) << operations;
    EXPECT_EQ(dial.of_eight, of_eight) << operations;
  };
  is(0, 0, 0, 8);
  is(1.0 / 16, 1, 1, 1);
  is(0.25, 1, 1, 4);
  is(0.5, 1, 1, 8);
  is(1, 1, 2, 8);
  is(6, 3, 4, 8);
  is(4, 1, 8, 8);
  is(64, 4, 32, 8);
  for (const double operations : {0.0, 0.0625, 0.4375, 0.5, 1.5, 6.0, 64.0})
    EXPECT_EQ(dial_of(operations).operations_per_byte(), operations);
  EXPECT_EQ(dial_of(1.7).operations_per_byte(), 1.5);
}

/// A buffer on the host.
class HostBuffer : public device::Buffer {
 public:
  explicit HostBuffer(std::uint64_t bytes) : words(bytes / sizeof(std::uint32_t)) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return words.size() * sizeof(std::uint32_t); }
  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    std::memcpy(reinterpret_cast<std::byte*>(words.data()) + offset, bytes.data(), bytes.size());
  }
  void read(std::uint64_t, std::span<std::byte>) override {}

  std::vector<std::uint32_t> words;
};

/// What a device of its own making leaves: each pair of words turned so many rounds, fused or not.
std::vector<std::uint32_t> added_up(const StreamWalk& walk, const device::RooflineRound& form, const HostBuffer& array,
                                    std::uint32_t trips, std::uint32_t rounds, std::uint32_t extra, bool fused) {
  const auto first = std::bit_cast<float>(static_cast<std::uint32_t>(form.operands.x));
  const auto second = std::bit_cast<float>(static_cast<std::uint32_t>(form.operands.y));
  const auto multiply_add = [fused](float a, float b, float c) {
    const volatile float product = a * b;
    return fused ? std::fma(a, b, c) : product + c;
  };
  std::vector<std::uint32_t> sums(walk.shape.groups);
  const std::uint32_t row = walk.shape.row_words();
  for (std::uint32_t group = 0; group < walk.shape.groups; ++group) {
    for (std::uint32_t trip = 0; trip < trips; ++trip) {
      const std::uint32_t* const block = &array.words[walk.word_at(group, walk.position(group, trip), 0)];
      for (std::uint32_t at = 0; at < walk.shape.block_words(); ++at) {
        if (at / row % 2 == 1) continue;
        auto x = std::bit_cast<float>(block[at]);
        auto y = std::bit_cast<float>(block[at + row]);
        const std::uint32_t all = rounds + (trip % 8 < extra ? 1 : 0);
        for (std::uint32_t round = 0; round < all; ++round) {
          x = form.paired ? multiply_add(y, first, x) : multiply_add(x, first, second);
          y = form.paired ? multiply_add(x, second, y)
                          : multiply_add(y, first, (round + 1) % form.joined == 0 ? x : second);
        }
        sums[group] += std::bit_cast<std::uint32_t>(y) + (all == 0 ? std::bit_cast<std::uint32_t>(x) : 0);
      }
    }
  }
  return sums;
}

void expect_noticed(device::DeviceType type, double operations) {
  const device::RooflineRound form = round_of({.type = type}, dial_of(operations));
  const StreamShape shape{.group_size = 4, .groups = 3, .vector_words = 4, .in_flight = 4};
  const StreamWalk walk(shape, Sharing::separate, 3 * 5 * 256);
  HostBuffer array(walk.array_bytes());
  const auto proof = [&](std::uint32_t rounds, std::uint32_t extra) {
    RooflineProof one(walk, form, rounds, extra, 7);
    one.write(array);
    return one;
  };
  (void)proof(9, 0);  // fills the array
  const auto left = [&](std::uint32_t trips, std::uint32_t rounds, std::uint32_t extra, bool fused) {
    return added_up(walk, form, array, trips, rounds, extra, fused);
  };
  for (const std::uint32_t trips : {1u, 8u, 40u, 83u}) {
    for (const bool fused : {true, false}) {
      EXPECT_EQ(proof(9, 0).failure(left(trips, 9, 0, fused), 0, trips), std::nullopt) << trips;
      EXPECT_EQ(proof(128, 0).failure(left(trips, 128, 0, fused), 0, trips), std::nullopt) << trips;
    }
  }
  EXPECT_EQ(proof(9, 3).failure(left(83, 9, 3, true), 0, 83), std::nullopt);
  EXPECT_NE(proof(9, 3).failure(left(83, 9, 4, true), 0, 83), std::nullopt);
  EXPECT_EQ(proof(0, 3).failure(left(83, 0, 3, true), 0, 83), std::nullopt);
  EXPECT_EQ(proof(0, 0).failure(left(83, 0, 0, true), 0, 83), std::nullopt);
  EXPECT_NE(proof(9, 0).failure(left(83, 8, 0, true), 0, 83), std::nullopt);
  EXPECT_NE(proof(128, 0).failure(left(83, 127, 0, true), 0, 83), std::nullopt);
  EXPECT_NE(proof(9, 0).failure(left(82, 9, 0, true), 0, 83), std::nullopt);
  auto wrong = left(83, 9, 0, true);
  wrong[2] ^= 4;
  EXPECT_NE(proof(9, 0).failure(wrong, 0, 83), std::nullopt);
}

TEST(RooflineProof, AcceptsBothRoundingsAndNoOtherNumberOfRounds) {
  expect_noticed(device::DeviceType::discrete, 1);
  expect_noticed(device::DeviceType::cpu, 1);
  expect_noticed(device::DeviceType::cpu, 8);
}

}  // namespace
}  // namespace sonde::workloads
