// Arithmetic: a simulated device's rates and latencies come back, what is missing is said, and work that was not done
// is noticed.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/model/model.hpp"
#include "measure/runner.hpp"
#include "probes/catalog.hpp"
#include "probes/compute/compute.hpp"
#include "support/recording_observer.hpp"
#include "support/small_model.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::probes::compute_probe {
namespace {

using workloads::ArithmeticProof;
using workloads::ArithmeticShape;

constexpr double clock_ghz = 2;
constexpr std::uint32_t units = 6;

device::model::Description computing_model() {
  device::model::Description model = test::small_model(1ull << 28);
  model.compute_units = units;
  model.launch_ns = 2000;
  for (device::model::ModelLevel& level : model.levels) {
    level.read_gbps = 1000;
    level.write_gbps = 1000;
  }
  model.arithmetic.per_cycle = {{"fp32", 128}, {"fp16", 256}, {"fp64", 2}, {"int32", 64}, {"int8", 96}, {"dot4", 64}};
  model.arithmetic.functions_per_cycle = 16;
  model.arithmetic.issue_per_cycle = 4;
  model.arithmetic.latency_cycles = 5;
  return model;
}

test::RecordingObserver asked(const device::model::Description& model) {
  const auto device = device::model::open(model);
  test::RecordingObserver observer;
  (void)measure::run_probe(*device, compute,
                           {.request = {.look = measure::Look::closer, .largest_bytes = 1 << 20},
                            .host_time = [] { return counters::HostTime{}; }},
                           observer);
  return observer;
}

std::optional<double> median_at(const test::RecordingObserver& seen, NumberType type, NumberOperation operation,
                                Chain chain = Chain::parallel) {
  const Words words = words_of(type, operation, chain);
  for (const measure::Measurement& one : seen.measurements) {
    if (one.point.words == words && one.point.x == Coordinates{} && one.unit != "cycles")
      return measure::median_of(one);
  }
  return std::nullopt;
}

std::vector<Finding> found(const test::RecordingObserver& seen, const FindingKind& kind) {
  std::vector<Finding> some;
  std::ranges::copy_if(seen.findings, std::back_inserter(some), [&](const Finding& one) { return one.kind == &kind; });
  return some;
}

TEST(Compute, FindsTheRatesAndLatenciesOfASimulatedDevice) {
  const test::RecordingObserver seen = asked(computing_model());
  for (const auto& failure : seen.failures) ADD_FAILURE() << failure.text;
  const auto expect_rate = [&](NumberType type, NumberOperation operation, double per_cycle) {
    const auto rate = median_at(seen, type, operation);
    const std::string what = measure::name_of(compute, point_on(compute_probe::rate, {}, words_of(type, operation)));
    ASSERT_TRUE(rate) << what;
    EXPECT_NEAR(*rate / (units * clock_ghz * per_cycle), 1, 0.01) << what;
  };
  expect_rate(NumberType::fp32, NumberOperation::fma, 256);
  expect_rate(NumberType::fp32, NumberOperation::add, 128);
  expect_rate(NumberType::fp32, NumberOperation::multiply, 128);
  expect_rate(NumberType::fp32, NumberOperation::sine, 16);
  expect_rate(NumberType::fp32, NumberOperation::reciprocal, 16);
  expect_rate(NumberType::fp16, NumberOperation::fma, 512);
  expect_rate(NumberType::fp64, NumberOperation::fma, 4);
  expect_rate(NumberType::int32, NumberOperation::fma, 128);
  expect_rate(NumberType::int8, NumberOperation::add, 96);
  expect_rate(NumberType::four_bytes, NumberOperation::fma, 8 * 64);
  for (const NumberType type : {NumberType::fp32, NumberType::fp16, NumberType::fp64, NumberType::int32}) {
    const auto one_ns = median_at(seen, type, NumberOperation::add, Chain::dependent);
    ASSERT_TRUE(one_ns) << device::facts_of(type).name;
    // Where a type's lanes take longer than its latency, they are what a step waits for.
    const double lanes_ns = type == NumberType::fp64 ? 16 / clock_ghz : 0;
    EXPECT_NEAR(*one_ns, std::max(5 / clock_ghz, lanes_ns), 0.02 * *one_ns) << device::facts_of(type).name;
  }
}

TEST(Compute, SaysWhichTypesAreMissingAndGoesOn) {
  const test::RecordingObserver seen = asked(computing_model());
  std::vector<ArithmeticType> types;
  for (const auto& skip : seen.skips) {
    ASSERT_TRUE(skip.point);
    types.push_back(skip.point->words.type.value());
    EXPECT_NE(skip.text.find(measure::word_of(types.back())), std::string::npos) << skip.text;
  }
  EXPECT_EQ(types, (std::vector{ArithmeticType::int64, ArithmeticType::int16}));
}

TEST(Compute, SaysWhyNoKernelComputesWithAType) {
  device::DeviceInfo device;
  device.missing_types["bf16"] = {.reason = "no bf16 here"};
  const std::vector<Point> points = compute.next(device, {}, {});
  EXPECT_EQ(std::ranges::count(points, &unsupported, &Point::curve), 1);
  EXPECT_EQ(find_curve("compute", unsupported.words, "Gop/s"), &unsupported);
  EXPECT_EQ(find_curve("compute", words_of(NumberType::fp32, NumberOperation::fma), "Gop/s"), &rate);
  EXPECT_EQ(std::ranges::count(compute.next({}, {}, {}), &unsupported, &Point::curve), 0);
}

TEST(Compute, TellsThePeakOfEachTypeByUnitAndCycle) {
  const std::vector<Finding> all = found(asked(computing_model()), peak);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1].words.type, ArithmeticType::fp32);
  EXPECT_NEAR(*all[1].value, units * clock_ghz * 256, 0.01 * units * clock_ghz * 256);
  EXPECT_NEAR(all[1].details.at("operations_per_unit_and_cycle"), 256, 3);
  EXPECT_NEAR(all[2].details.at("ratio_to_fp32"), 2, 0.03);
}

TEST(Compute, TellsDotProductsOfBytesFromBytesAndWhatTheDriverSaysOfThem) {
  device::model::Description model = computing_model();
  const std::vector<Finding> all = found(asked(model), peak);
  EXPECT_EQ(all.back().words.type, ArithmeticType::int8);
  EXPECT_EQ(all.back().words.operation, measure::Operation::dot4);
  EXPECT_EQ(all.back().evidence.find("no instruction"), std::string::npos) << all.back().evidence;
  model.arithmetic.per_cycle.erase("dot4");
  for (const auto& skip : asked(model).skips) {
    if (skip.point->words.operation == measure::Operation::dot4) {
      EXPECT_NE(skip.text.find("dot4"), std::string::npos) << skip.text;
      return;
    }
  }
  ADD_FAILURE() << "nothing says that dot4 is missing";
}

TEST(Compute, FindsHalvesThatAreNoFasterThanSingles) {
  device::model::Description model = computing_model();
  EXPECT_TRUE(found(asked(model), half_rate).empty());
  model.arithmetic.per_cycle["fp16"] = 128;
  const std::vector<Finding> some = found(asked(model), half_rate);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_NEAR(*some[0].value, 1, 0.02);
  EXPECT_NE(some[0].evidence.find("hardly faster"), std::string::npos) << some[0].evidence;
}

TEST(Compute, DoesNotBelieveMoreThanAnyUnitDoes) {
  device::model::Description model = computing_model();
  EXPECT_TRUE(found(asked(model), suspicious).empty());
  model.arithmetic.per_cycle["fp32"] = 200;
  model.arithmetic.issue_per_cycle = 32;
  const std::vector<Finding> some = found(asked(model), suspicious);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0].words.type, ArithmeticType::fp32);
}

// A rate that needs many instructions at once is out of reach where few can begin in a cycle: each shape meets the
// limit.
TEST(Compute, IsBoundByTheIssueRate) {
  device::model::Description model = computing_model();
  model.arithmetic.issue_per_cycle = 2;
  const auto rate = median_at(asked(model), NumberType::fp32, NumberOperation::fma);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(*rate / (units * clock_ghz * 128), 1, 0.01);
}

/// What a device that rounds so leaves: two words for each item.
std::vector<std::uint32_t> left_by_device(NumberType type, NumberOperation operation, const ArithmeticShape& shape,
                                          std::uint32_t trips, std::uint32_t salt, device::Rounding rounding) {
  const device::NumberChain chain = workloads::chain_of(type, operation, shape.is_paired(operation));
  const auto starts = device::starts_from_words(ArithmeticProof(chain, 1).start_words().data());
  const auto ends = device::after_steps(chain, starts, std::uint64_t{2} * shape.unroll * trips, rounding);
  std::vector<std::uint32_t> left;
  for (std::uint32_t item = 0; item < shape.items(); ++item) {
    left.push_back(device::item_result(chain, ends, item + salt, shape.accumulators, shape.width));
    left.push_back(trips + salt);
  }
  return left;
}

ArithmeticProof proof_of(NumberType type, NumberOperation operation, const ArithmeticShape& shape) {
  return {workloads::chain_of(type, operation, shape.is_paired(operation)), 1};
}

constexpr ArithmeticShape some_shape{.width = 2, .accumulators = 3, .unroll = 4, .group_size = 8, .groups = 3};

/// With chains of pairs and, where there are such, of one number alone.
std::vector<ArithmeticShape> some_shapes(NumberType type) {
  std::vector<ArithmeticShape> shapes{some_shape};
  if (!workloads::can_be_alone(type)) return shapes;
  shapes.push_back(some_shape);
  shapes.back().paired = false;
  return shapes;
}

TEST(ArithmeticProof, AcceptsEveryRoundingThatIsRight) {
  for (const NumberType type : {NumberType::fp64, NumberType::fp32, NumberType::fp16}) {
    for (const ArithmeticShape& shape : some_shapes(type)) {
      for (const bool fused : {true, false}) {
        for (const bool flushes : {true, false}) {
          const auto left = left_by_device(type, NumberOperation::fma, shape, 1000, 8, {fused, flushes});
          EXPECT_EQ(proof_of(type, NumberOperation::fma, shape).failure(left, shape, 1000, 8), std::nullopt)
              << device::facts_of(type).name << shape.paired << fused << flushes;
        }
      }
    }
  }
}

TEST(ArithmeticProof, NoticesAWrongAccumulatorLostTripsAndWhatAnotherDispatchLeft) {
  for (const auto& type : device::number_types) {
    for (const ArithmeticShape& shape : some_shapes(type.type)) {
      // So many that a chain that went towards a value or came back to one would have done so.
      constexpr std::uint32_t trips = 10'000;
      const auto left = left_by_device(type.type, NumberOperation::fma, shape, trips, 8, {});
      ArithmeticProof proof = proof_of(type.type, NumberOperation::fma, shape);
      EXPECT_EQ(proof.failure(left, shape, trips, 8), std::nullopt) << type.name << shape.paired;
      auto wrong = left;
      wrong[2 * 17] ^= 1;
      EXPECT_NE(proof.failure(wrong, shape, trips, 8), std::nullopt) << type.name << shape.paired;
      wrong = left;
      --wrong[2 * 23 + 1];
      EXPECT_NE(proof.failure(wrong, shape, trips, 8), std::nullopt) << type.name << shape.paired;
      EXPECT_NE(proof.failure(left, shape, trips, 16), std::nullopt) << type.name << shape.paired;
      EXPECT_NE(proof.failure(left, shape, trips + 1, 8), std::nullopt) << type.name << shape.paired;
      const auto folded = left_by_device(type.type, NumberOperation::fma, shape, trips - 1, 9, {});
      EXPECT_NE(proof.failure(folded, shape, trips, 8), std::nullopt) << type.name << shape.paired;
      // Every other step alone.
      ArithmeticShape half = shape;
      half.unroll /= 2;
      auto halved = left_by_device(type.type, NumberOperation::fma, half, trips, 8, {});
      EXPECT_NE(proof.failure(halved, shape, trips, 8), std::nullopt) << type.name << shape.paired;
    }
  }
}

TEST(ArithmeticProof, HoldsFunctionsToTheirBounds) {
  for (const NumberOperation operation : {NumberOperation::reciprocal, NumberOperation::square_root,
                                          NumberOperation::exponential, NumberOperation::sine}) {
    auto left = left_by_device(NumberType::fp32, operation, some_shape, 100, 8, {});
    ArithmeticProof proof = proof_of(NumberType::fp32, operation, some_shape);
    EXPECT_EQ(proof.failure(left, some_shape, 100, 8), std::nullopt);
    left[0] = 0;
    EXPECT_NE(proof.failure(left, some_shape, 100, 8), std::nullopt);
  }
}

TEST(Arithmetic, MeetsNoSpecialNumberWhateverItMultipliesBy) {
  for (const auto& type : device::number_types) {
    if (!type.floating) continue;
    for (const NumberOperation operation : {NumberOperation::fma, NumberOperation::add, NumberOperation::multiply}) {
      for (std::uint32_t variant = 0; variant < 3; ++variant) {
        const device::NumberChain chain =
            workloads::chain_of(type.type, operation, some_shape.is_paired(operation), variant);
        auto pairs = device::starts_from_words(ArithmeticProof(chain, 1).start_words().data());
        pairs = device::after_steps(chain, pairs, 400'000, {});
        int same = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const double x = device::number_of(type.type, pairs[i].x);
          const double y = device::number_of(type.type, pairs[i].y);
          const double length = std::hypot(x, y);
          EXPECT_TRUE(length > 0.2 && length < 8) << type.name << " " << static_cast<int>(operation) << " " << length;
          same += pairs[i].x == pairs[(i + 1) % pairs.size()].x ? 1 : 0;
        }
        EXPECT_LT(same, 3) << type.name;
      }
    }
  }
}

// A square plus a number goes everywhere in its range, but neither to zero nor so close to it that a square is
// denormal; and it does not come back to where it was before long, after which more steps would be no proof.
TEST(Arithmetic, OfOneNumberAloneNeitherMeetsASpecialOneNorRepeats) {
  constexpr int fewest_values = 500;
  for (const NumberType type : {NumberType::fp32, NumberType::fp64}) {
    for (std::uint32_t variant = 0; variant < 3; ++variant) {
      const device::NumberChain chain = workloads::chain_of(type, NumberOperation::fma, false, variant);
      const double addend = device::number_of(type, chain.operands.x);
      EXPECT_EQ(chain.operands.x, chain.operands.y);
      EXPECT_LT(addend, -1.5);
      EXPECT_GT(addend, -1.99);
      for (const bool fused : {true, false}) {
        std::set<std::uint64_t> seen;
        auto numbers = device::starts_from_words(ArithmeticProof(chain, 1).start_words().data());
        numbers = device::after_steps(chain, numbers, 100'000, {.fused = fused});
        for (int step = 0; step < fewest_values; step += 2) {
          for (const device::ArithmeticPair& one : numbers) {
            const double x = std::abs(device::number_of(type, one.x));
            EXPECT_TRUE(x > 1e-8 && x < 2) << device::facts_of(type).name << " " << x;
          }
          EXPECT_TRUE(seen.insert(numbers[0].x).second) << device::facts_of(type).name << variant << " repeats";
          numbers = device::after_steps(chain, numbers, 2, {.fused = fused});
        }
      }
    }
  }
  // No square is the addend's opposite, whichever way it is rounded.
  for (std::uint32_t variant = 0; variant < 3; ++variant) {
    const device::NumberChain single = workloads::chain_of(NumberType::fp32, NumberOperation::fma, false, variant);
    const device::NumberChain twice = workloads::chain_of(NumberType::fp64, NumberOperation::fma, false, variant);
    const auto opposite = static_cast<float>(-device::number_of(NumberType::fp32, single.operands.x));
    const double wide_opposite = -device::number_of(NumberType::fp64, twice.operands.x);
    float root = std::sqrt(opposite) * 0.999999F;
    double wide_root = std::sqrt(wide_opposite) * (1 - 4e-15);
    for (int i = 0; i < 64; ++i, root = std::nextafter(root, 2.0F), wide_root = std::nextafter(wide_root, 2.0)) {
      EXPECT_NE(root * root, opposite) << variant;
      EXPECT_NE(wide_root * wide_root, wide_opposite) << variant;
    }
    EXPECT_GT(root * root, opposite);
    EXPECT_GT(wide_root * wide_root, wide_opposite);
  }
}

// Integers that are multiplied and added to, one step after the other.
TEST(ArithmeticProof, FollowsOneIntegerAlone) {
  for (const auto& type : device::number_types) {
    if (type.floating || !workloads::can_be_alone(type.type)) continue;
    const device::NumberChain chain = workloads::chain_of(type.type, NumberOperation::fma, false);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - type.bits);
    std::uint64_t x = 0xDEADBEEFu & mask;
    for (int step = 0; step < 1002; ++step) x = (x * chain.operands.x + chain.operands.y) & mask;
    EXPECT_EQ(device::after_steps(chain, {{0xDEADBEEFu & mask, 0}}, 1002, {})[0].x, x) << type.name;
  }
}

TEST(Arithmetic, MultipliesByNoNumberThatMayBeTreatedDifferently) {
  for (const auto& type : device::number_types) {
    for (std::uint32_t variant = 0; variant < 3; ++variant) {
      const device::ArithmeticPair operands =
          workloads::chain_of(type.type, NumberOperation::fma, true, variant).operands;
      for (const std::uint64_t words : {operands.x, operands.y}) {
        if (type.floating) {
          const double number = std::abs(device::number_of(type.type, words));
          EXPECT_TRUE(number > 0.1 && number < 0.9) << type.name << " " << number;
          int exponent = 0;
          EXPECT_NE(std::frexp(number, &exponent), 0.5) << type.name << " is a power of two";
          continue;
        }
        EXPECT_GT(std::popcount(words), 2) << type.name << " " << words;
        for (unsigned part = 0; part < type.parts; ++part) {
          EXPECT_GT(std::popcount(static_cast<std::uint8_t>(words >> (8 * part))), 1) << type.name << " " << words;
        }
      }
    }
  }
}

TEST(ArithmeticProof, FollowsBytesOneStepAfterTheOther) {
  const device::ArithmeticPair operands{0x80FF7F01, 0x01020304};  // -128, -1, 127, 1; 1, 2, 3, 4
  const std::vector<device::ArithmeticPair> ends =
      device::after_steps({NumberType::four_bytes, NumberOperation::fma, true, operands}, {{10, 0x027F8003}}, 2, {});
  // 2 * -128 + 127 * -1 + -128 * 127 + 3 * 1 = -16636, and 10: 0xFFFFBF0E; its bytes are -1, -1, -65, 14.
  EXPECT_EQ(ends[0].x, 0xFFFFBF0Eu);
  EXPECT_EQ(ends[0].y, static_cast<std::uint32_t>(0x027F8003 - 1 - 2 - 3 * 65 + 4 * 14));
}

TEST(MostFrequentArithmetic, IsWhatTheLoopIsMadeOf) {
  EXPECT_EQ(workloads::most_frequent_arithmetic("v_add_u32 v0, v1\n v_pk_fma_f16 v1, v2\n v_pk_fma_f16 v3, v2\n"),
            "v_pk_fma_f16");
  EXPECT_EQ(workloads::most_frequent_arithmetic("fma.rn.f32 %f1, %f2;\n fma.rn.f32 %f3;\n add.s32 %r1;"), "fma.rn.f32");
  EXPECT_EQ(workloads::most_frequent_arithmetic("ret;"), "");
}

}  // namespace
}  // namespace sonde::probes::compute_probe
