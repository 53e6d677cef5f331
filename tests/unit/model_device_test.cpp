// The simulated device as a whole: what a chase costs, level by level, and what the timer makes of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "device/copy_engines.hpp"
#include "device/model/model.hpp"
#include "model_walk.hpp"

namespace sonde::device::model {
namespace {

ModelLevel cache(std::uint64_t bytes, std::uint32_t line_bytes, std::uint32_t ways, double latency_ns) {
  ModelLevel level;
  level.bytes = bytes;
  level.line_bytes = line_bytes;
  level.ways = ways;
  level.latency_ns = latency_ns;
  return level;
}

/// L1 4 KiB at 40 ns, L2 64 KiB at 100 ns, memory at 300 ns; LRU, exact, without noise.
Description plain() {
  Description model;
  model.name = "plain";
  model.compute_units = 4;
  model.memory_bytes = 1ull << 30;
  model.clock_mhz = 2000;
  model.timer_step_ns = 0.001;
  model.levels = {cache(4096, 64, 8, 40), cache(65536, 64, 16, 100), cache(0, 64, 16, 300)};
  model.levels[0].scope = Scope::compute_unit;
  return model;
}

double settled_hop_ns(const Description& model, std::uint64_t bytes, std::uint32_t stride_bytes = 64) {
  const auto device = open(model);
  ModelWalk walk(*device, bytes, stride_bytes);
  walk.run_laps(4);
  return walk.hop_ns(2000);
}

TEST(ModelDevice, StatesWhatItsDescriptionSays) {
  Description model = plain();
  model.unified_memory = true;
  model.levels[1].line_bytes = 128;
  const DeviceInfo info = describe(model);
  EXPECT_EQ(info.api, Api::model);
  EXPECT_EQ(info.type, DeviceType::model);
  EXPECT_EQ(info.name, "plain");
  EXPECT_EQ(info.driver, "simulated");
  EXPECT_EQ(info.line_bytes, 128u);
  EXPECT_EQ(info.compute_units, 4u);
  EXPECT_EQ(info.largest_buffer_bytes, 1ull << 30);
  EXPECT_EQ(info.largest_group_size, 1024u);
  EXPECT_TRUE(info.unified_memory);
  EXPECT_EQ(info.timer_step_ns, 0.001);
  EXPECT_THROW((void)describe(Description{}), Error);
}

TEST(ModelDevice, EveryLevelShowsItsLatencyAndItsSize) {
  EXPECT_NEAR(settled_hop_ns(plain(), 2048), 40, 0.02);
  EXPECT_NEAR(settled_hop_ns(plain(), 4096 - 128), 40, 0.3);  // the cursor's two lines take part
  EXPECT_NEAR(settled_hop_ns(plain(), 32768), 100, 0.02);
  EXPECT_NEAR(settled_hop_ns(plain(), 1 << 20), 300, 0.02);
}

TEST(ModelDevice, OneLevelIsMemoryAlone) {
  Description model = plain();
  model.levels = {cache(0, 64, 16, 300)};
  EXPECT_NEAR(settled_hop_ns(model, 4096), 300, 0.02);
}

TEST(ModelDevice, ALevelSeesOnlyTheMissesFromAbove) {
  // Line 0 is visited at every second hop and stays in the first level; the second never hears of it again,
  // forgets it, and just holds the 32 other lines. If it saw every access, 33 lines would be one too many.
  constexpr std::uint32_t others = 32;
  Description model = plain();
  model.levels = {cache(256, 128, 2, 40), cache(std::uint64_t{others} * 128, 128, others, 100), cache(0, 64, 16, 300)};
  const auto device = open(model);
  const auto next = device->make_buffer(1 << 20);
  const auto cursor = device->make_buffer(8);
  const auto kernel = device->make_kernel(chase_source, 1);
  std::vector<std::uint32_t> words(1 << 18);
  for (std::uint32_t i = 0; i < others; ++i) {
    words[i] = (i + 1) * 32;
    words[(i + std::size_t{1}) * 32] = (i + 1) % others;
  }
  next->write(0, std::as_bytes(std::span(words)));
  const Launch launch{.buffers = {next.get(), cursor.get()}, .scalars = {8000}, .groups = 1};
  device->run(*kernel, launch);
  EXPECT_NEAR(device->run(*kernel, launch).count() / 64000, (40 + 100) / 2.0, 0.5);
}

TEST(ModelDevice, AMissFetchesTheWholeLineOfTheCacheAbove) {
  // 128-byte lines above 64-byte lines: 64 KiB hold 64 KiB, although the walk touches every other line only.
  Description model = plain();
  model.levels = {cache(4096, 128, 8, 40), cache(65536, 64, 1024, 100), cache(0, 64, 16, 300)};
  EXPECT_NEAR(settled_hop_ns(model, 65536 - 256, 128), 100, 0.5);
  EXPECT_NEAR(settled_hop_ns(model, 65536 + 256, 128), 300, 0.5);
}

TEST(ModelDevice, LongerLinesBelowAreFetchedOnce) {
  // Two 64-byte lines share one of 128 in the second level: walked in order, each second hop finds it there.
  Description model = plain();
  model.levels = {cache(1024, 64, 16, 40), cache(4096, 128, 32, 100), cache(0, 64, 16, 300)};
  const auto device = open(model);
  ModelWalk walk(*device, 1 << 16, 64);
  std::vector<std::uint32_t> in_order(walk.lines());
  for (std::uint32_t i = 0; i < walk.lines(); ++i) in_order[i] = i;
  walk.link(in_order);
  walk.run_laps(1);
  EXPECT_NEAR(walk.hop_ns(), 200, 1);
}

TEST(ModelDevice, AWrongPermutationGivesAWrongCurve) {
  const auto device = open(plain());
  ModelWalk walk(*device, 8192, 64);
  walk.run_laps(4);
  EXPECT_NEAR(walk.hop_ns(2000), 100, 0.1);
  // Two cycles over half of the lines each: the walk sees one of them, which fits the first level.
  const auto first = random_order(63, 1);
  walk.link(first);
  walk.start_at(0);
  walk.run_laps(4);
  EXPECT_NEAR(walk.hop_ns(2000), 40, 0.3);
}

TEST(ModelDevice, WalksTheRealContents) {
  const auto device = open(plain());
  ModelWalk walk(*device, 1000 * 64, 64, 3);
  const auto order = random_order(1000, 3);
  std::uint64_t hops = 0;
  for (const std::uint32_t rounds : {1u, 10u, 20u, 40u, 7u}) {
    hops += std::uint64_t{rounds} * 64;
    walk.run(rounds);
    EXPECT_EQ(walk.cursor(),
              (std::vector<std::uint32_t>{order[hops % 1000] * 16, rounds * ModelWalk::trips_per_round}));
  }
  // A new chain in the same buffer is followed, although the old one had been walked all around.
  const auto other = random_order(1000, 4);
  walk.link(other);
  walk.start_at(0);
  walk.run(30);
  EXPECT_EQ(walk.cursor()[0], other[30 * 64 % 1000] * 16);
  walk.start_at(other[5]);
  walk.run(30);
  EXPECT_EQ(walk.cursor()[0], other[(5 + 30 * 64) % 1000] * 16);
}

TEST(ModelDevice, AWalkThatEndsInASmallerCycleIsFollowed) {
  const auto device = open(plain());
  ModelWalk walk(*device, 64 * 64, 64);
  const std::array<std::uint32_t, 1> to_line_3{3 * 16};
  const auto order = random_order(64, 1);
  const auto at_3 = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), 3u) - order.begin());
  walk.next().write(std::uint64_t{order[63]} * 64,
                    std::as_bytes(std::span(to_line_3)));  // not back to line 0
  walk.run(100);
  const std::uint32_t length = 64 - at_3;
  EXPECT_EQ(walk.cursor()[0], order[at_3 + (6400 - at_3) % length] * 16);
}

TEST(ModelDevice, AKernelThatChangesTheChainIsNoticed) {
  const auto device = open(plain());
  ModelWalk walk(*device, 64 * 64, 64);
  const auto order = random_order(64, 1);
  walk.run(2);  // all around, so that the order is known, and back at line 0
  const auto alu_chain = device->make_kernel(alu_chain_source, 1);
  // factor 0 and addend n make word 0, the chain's first, n: it now skips half of the lines.
  device->run(*alu_chain, {.buffers = {&walk.next()}, .scalars = {1, 0, order[32] * 16}, .groups = 1});
  walk.run(1);
  EXPECT_EQ(walk.cursor()[0], order[31 + 64 % 33] * 16);  // element 31 of {0, 32, 33, …}
}

TEST(ModelDevice, AChainOutOfTheBufferIsAnError) {
  const auto device = open(plain());
  ModelWalk walk(*device, 4096, 64);
  const std::array<std::uint32_t, 1> beyond{1024};
  walk.next().write(0, std::as_bytes(std::span(beyond)));
  EXPECT_THROW(walk.run(1), Error);
  walk.link(random_order(64, 1));  // and the device goes on
  walk.start_at(0);
  walk.run(1);
  EXPECT_EQ(walk.cursor()[0], 0u);
}

TEST(ModelDevice, IndependentLoadsReadTheContentsAsTheyAreNow) {
  // 1000 lines and a half; the walk is long enough that the model keeps the lines' first words beside it.
  constexpr std::uint32_t lines = 1001;
  constexpr std::uint32_t line_words = 16;
  constexpr std::uint32_t trips = 500;
  const auto device = open(plain());
  const auto kernel = device->make_kernel(independent_chase_source, 1);
  const auto memory = device->make_buffer(std::uint64_t{lines} * line_words * 4 - 32);
  const auto cursor = device->make_buffer(12);
  std::vector<std::uint32_t> words(memory->size_bytes() / 4);
  std::array<std::uint32_t, 3> state{};
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Random random(seed);
    for (std::uint32_t& word : words) word = random.below(1u << 31);
    memory->write(0, std::as_bytes(std::span(words)));
    for (int launch = 0; launch < 2; ++launch) {
      auto [word, counter, walked] = state;
      for (std::uint32_t hop = 0; hop < trips * 8; ++hop) {
        const std::uint32_t mixed = (word ^ ++counter) * 0x9E3779B1u;
        word = words[(std::uint64_t{mixed} * lines >> 32) * line_words];
      }
      device->run(*kernel,
                  {.buffers = {memory.get(), cursor.get()}, .scalars = {trips, lines, line_words}, .groups = 1});
      cursor->read(0, std::as_writable_bytes(std::span(state)));
      EXPECT_EQ(state, (std::array<std::uint32_t, 3>{word, counter, trips})) << seed << ", launch " << launch;
    }
  }
}

TEST(ModelDevice, OneLinePerPagePaysForTranslation) {
  Description model = plain();
  model.levels = {cache(1 << 20, 64, 16384, 40), cache(0, 64, 16, 300)};
  model.translation = {{.page_bytes = 4096, .entries = 32, .penalty_ns = 25}};
  // The cursor's own page takes an entry for two accesses a dispatch.
  EXPECT_NEAR(settled_hop_ns(model, 31 * 4096, 4096), 40, 0.05);
  EXPECT_NEAR(settled_hop_ns(model, 34 * 4096, 4096), 65, 0.05);
  EXPECT_NEAR(settled_hop_ns(model, 31 * 4096, 64), 40, 0.05);
}

TEST(ModelDevice, ASecondTableOfPagesIsAskedWhereTheFirstHasMissed) {
  Description model = plain();
  model.levels = {cache(1 << 20, 64, 16384, 40), cache(0, 64, 16, 300)};
  model.translation = {{.page_bytes = 4096, .entries = 32, .penalty_ns = 25},
                       {.page_bytes = 65536, .entries = 8, .penalty_ns = 100}};
  EXPECT_NEAR(settled_hop_ns(model, 31 * 4096, 4096), 40, 0.05);
  EXPECT_NEAR(settled_hop_ns(model, 64 * 4096, 4096), 65, 0.05) << "four pages of the second table";
  EXPECT_NEAR(settled_hop_ns(model, 64 * 65536, 65536), 165, 0.2);
}

TEST(ModelDevice, IdleFabricSlowsTheLastLevelAlone) {
  Description model = plain();
  model.idle_factor = 1.5;
  EXPECT_NEAR(settled_hop_ns(model, 32768), 100, 0.02);
  EXPECT_NEAR(settled_hop_ns(model, 1 << 20), 450, 0.02);
}

TEST(ModelDevice, ANewBufferIsInNoCache) {
  const auto device = open(plain());
  for (int i = 0; i < 3; ++i) {
    ModelWalk walk(*device, 2048, 64);
    EXPECT_GT(walk.run(1), 32 * 300.0) << "the first visit of every line goes to memory";
  }
}

TEST(ModelDevice, LaunchFirstLaunchAndTimerSteps) {
  Description model = plain();
  model.launch_ns = 8000;
  model.first_launch_ms = 5;
  const auto device = open(model);
  ModelWalk walk(*device, 2048, 64);
  EXPECT_NEAR(walk.run(0), 8000 + 5e6 + 380, 100);  // and the cursor's two accesses
  EXPECT_NEAR(walk.run(10), 8000 + 32 * 300 + 608 * 40 + 120, 0.01);
  EXPECT_NEAR(walk.run(10), 8000 + 640 * 40 + 120, 0.01);
  ModelWalk other(*device, 2048, 64);
  EXPECT_GT(other.run(0), 5e6) << "every kernel has its own first launch";
  model.timer_step_ns = 1000;
  const auto coarse = open(model);
  ModelWalk coarse_walk(*coarse, 2048, 64);
  coarse_walk.run(1);
  EXPECT_EQ(coarse_walk.run(10), 34000);  // 8000 + 25600 + 120
}

TEST(ModelDevice, AluChainCountsCyclesAndComputes) {
  const Description model = plain();  // 2000 MHz
  const auto device = open(model);
  const auto kernel = device->make_kernel(alu_chain_source, 64);
  const auto state = device->make_buffer(8);
  const std::array<std::uint32_t, 2> start{12345, 0};
  state->write(0, std::as_bytes(std::span(start)));
  const Launch launch{.buffers = {state.get()}, .scalars = {7, 1664525, 1013904223}, .groups = 1};
  const double ns = device->run(*kernel, launch).count();
  EXPECT_NEAR(ns, 7 * 64 * 4 / 2.0, 400);
  std::uint32_t x = 12345;
  for (int i = 0; i < 7 * 64; ++i) x = x * 1664525 + 1013904223;
  std::array<std::uint32_t, 2> end{};
  state->read(0, std::as_writable_bytes(std::span(end)));
  EXPECT_EQ(end[0], x);
  EXPECT_EQ(end[1], 7u);
}

TEST(ModelDevice, TheClockRampsFromHalfSpeed) {
  Description model = plain();
  model.noise.ramp_seconds = 0.01;
  const auto device = open(model);
  ModelWalk walk(*device, 2048, 64);
  EXPECT_NEAR(walk.hop_ns(100), 80, 3);  // 0.5 ms of 10: 0.525 of full speed
  double busy_ns = 100 * 64 * 80.0;
  double last = 80;
  while (busy_ns < 11e6) {
    const double hop = walk.hop_ns(100);
    EXPECT_LE(hop, last);
    last = hop;
    busy_ns += hop * 6400;
  }
  EXPECT_NEAR(walk.hop_ns(100), 40, 0.1);
  // The whole ramp costs a quarter of its length: half speed at first, full at the end.
  const auto fresh = open(model);
  ModelWalk again(*fresh, 2048, 64);
  EXPECT_NEAR(again.run(8000), 8000 * 64 * 40 + 0.0025e9, 0.0001e9);
}

TEST(ModelDevice, NoiseHasItsDeviationAndOutliersTheirShare) {
  Description model = plain();
  model.noise = {.relative = 0.02, .outlier_share = 0.1, .outlier_factor = 5, .ramp_seconds = 0};
  const auto device = open(model);
  ModelWalk walk(*device, 2048, 64);
  walk.run_laps(10);
  double sum = 0;
  double squares = 0;
  int outliers = 0;
  constexpr int dispatches = 4000;
  for (int i = 0; i < dispatches; ++i) {
    const double ratio = walk.hop_ns(20) / 40.06;
    if (ratio > 2) {
      ++outliers;
      EXPECT_NEAR(ratio, 5, 0.5);
    } else {
      sum += ratio - 1;
      squares += (ratio - 1) * (ratio - 1);
    }
  }
  const double kept = dispatches - outliers;
  EXPECT_NEAR(outliers, 400, 4 * 19);
  EXPECT_NEAR(sum / kept, 0, 0.002);
  EXPECT_NEAR(std::sqrt(squares / kept), 0.02, 0.001);
}

TEST(ModelDevice, TheSameSeedGivesTheSameValues) {
  Description model = plain();
  model.noise = {.relative = 0.01, .outlier_share = 0.05, .outlier_factor = 3, .ramp_seconds = 0.001};
  model.levels[1].policy = Policy::random;
  model.levels[1].hashed = true;
  const auto values = [](const Description& of) {
    const auto device = open(of);
    ModelWalk walk(*device, 100000, 64);
    std::vector<double> result;
    for (int i = 0; i < 20; ++i) result.push_back(walk.run(50));
    return result;
  };
  const auto first = values(model);
  EXPECT_EQ(first, values(model));
  model.seed = 2;
  EXPECT_NE(first, values(model));
}

TEST(ModelDevice, TheSeedDecidesOnRandomReplacementToo) {
  Description model = plain();
  model.levels[1].policy = Policy::random;
  const auto total = [&model](std::uint64_t seed) {
    model.seed = seed;
    const auto device = open(model);
    ModelWalk walk(*device, 70000, 64);
    return walk.run(1000);
  };
  EXPECT_EQ(total(1), total(1));
  EXPECT_NE(total(1), total(2));
}

TEST(ModelDevice, TheSplitIntoDispatchesChangesNoHits) {
  Description model = plain();
  model.levels[1].policy = Policy::plru;
  const auto total = [&model](std::uint32_t rounds) {
    const auto device = open(model);
    ModelWalk walk(*device, 100000, 64);
    double ns = 0;
    for (std::uint32_t done = 0; done < 400; done += rounds) ns += walk.run(rounds);
    return ns;
  };
  EXPECT_NEAR(total(400), total(100), 3 * 3 * 300);  // three more dispatches touch the cursor
}

TEST(ModelDevice, LargeBuffersAreReallyStored) {
  Description model = plain();
  model.memory_bytes = 4ull << 30;
  const auto device = open(model);
  const auto buffer = device->make_buffer(1ull << 30);
  const std::array<std::uint32_t, 2> words{7, 8};
  buffer->write((1ull << 30) - 8, std::as_bytes(std::span(words)));
  std::array<std::uint32_t, 3> back{1, 1, 1};
  buffer->read((1ull << 30) - 12, std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, (std::array<std::uint32_t, 3>{0, 7, 8}));
  EXPECT_LE(device->available_bytes(), 3ull << 30);
}

double elapsed(Device& device) { return device.simulated_seconds().value() * 1e9; }

TEST(ModelDevice, TheSecondsOfARealDeviceCountKernelsAndWhatTheHostDoes) {
  Description model = plain();
  model.levels.back().write_gbps = 100;
  model.copy = {.to_device_gbps = 20, .to_host_gbps = 10, .latency_us = 12, .engines = 1};
  const auto device = open(model);
  EXPECT_EQ(elapsed(*device), 0);
  const auto took = [&](const auto& what) {
    const double before = elapsed(*device);
    what();
    return elapsed(*device) - before;
  };
  constexpr std::uint64_t bytes = 16 << 10;
  std::vector<std::byte> words(bytes);
  std::unique_ptr<Buffer> buffer;
  EXPECT_NEAR(took([&] { buffer = device->make_buffer(bytes); }), 40e3 + bytes / 100.0, 1);
  EXPECT_NEAR(took([&] { buffer->write(0, words); }), 12e3 + bytes / 20.0, 1);
  EXPECT_NEAR(took([&] { buffer->read(0, words); }), 12e3 + bytes / 10.0, 1);
  EXPECT_NEAR(took([&] { buffer.reset(); }), 20e3, 1);
  ModelWalk walk(*device, 2048, 64);
  double kernel_ns = 0;
  const double walk_ns = took([&] { kernel_ns = walk.run(10); });
  EXPECT_NEAR(walk_ns, 10e3 + kernel_ns, 1);
  EXPECT_EQ(took([&] { (void)device->host_time(); }), 0);
}

TEST(ModelDevice, SecondsOfARunAreThoseOfSimulatingWhereItTakesLonger) {
  Description model = plain();
  model.copy = {.to_device_gbps = 1000, .to_host_gbps = 1000, .latency_us = 1, .engines = 1};
  const auto device = open(model);
  constexpr std::uint64_t bytes = 32 << 20;
  const auto buffer = device->make_buffer(bytes);
  std::vector<std::byte> words(bytes);
  const double before = elapsed(*device);
  buffer->write(0, words);
  const double written = elapsed(*device);
  buffer->read(0, words);
  // No computer that this runs on moves 100 GB/s through one core.
  EXPECT_GT(written - before, bytes / 100.0);
  EXPECT_GT(elapsed(*device) - written, bytes / 100.0);
}

TEST(ModelDevice, CopiesByEnginesTakeTheirOwnTimeAlone) {
  Description model = plain();
  model.copy = {.to_device_gbps = 20, .to_host_gbps = 10, .latency_us = 12, .engines = 1};
  const auto device = open(model);
  const auto buffer = device->make_buffer(1 << 20);
  CopyEngines& engines = device->copy_engines();
  const auto host = engines.make_host_memory(HostKind::pinned, 1 << 20);
  const CopyList list{{.from = {.host = host.get()}, .to = {.buffer = buffer.get()}, .bytes = 1 << 20}};
  const double before = elapsed(*device);
  const CopyTimes times = engines.run(CopyEngine::driver, std::span(&list, 1));
  EXPECT_NEAR(elapsed(*device) - before, 10e3 + times.all.count(), 1);
}

TEST(ModelDevice, TheSameCallsTakeTheSameSeconds) {
  Description model = plain();
  model.noise = {.relative = 0.01, .outlier_share = 0.05, .outlier_factor = 3, .ramp_seconds = 0.001};
  const auto after_a_walk = [&model] {
    const auto device = open(model);
    ModelWalk walk(*device, 100000, 64);
    walk.run_laps(3);
    (void)walk.cursor();
    return elapsed(*device);
  };
  EXPECT_EQ(after_a_walk(), after_a_walk());
}

TEST(ModelDevice, MisuseIsAnError) {
  const auto device = open(plain());
  const auto buffer = device->make_buffer(16);
  const auto kernel = device->make_kernel(chase_source, 1);
  std::array<std::byte, 8> bytes{};
  EXPECT_THROW(buffer->write(12, bytes), Error);
  EXPECT_THROW(buffer->read(17, std::span(bytes).first(0)), Error);
  EXPECT_NO_THROW(buffer->read(16, std::span(bytes).first(0)));
  EXPECT_THROW((void)device->make_buffer(0), Error);
  EXPECT_THROW((void)device->make_buffer(2ull << 30), Unsupported);
  EXPECT_THROW((void)device->make_kernel(chase_source, 0), Error);
  EXPECT_THROW((void)device->make_kernel(chase_source, 1025), Error);
  EXPECT_THROW(
      (void)device->make_kernel(
          KernelSource{.name = "unheard_of", .opencl_c = {}, .spirv_addresses = {}, .spirv_descriptors = {}}, 1),
      Unsupported);
  EXPECT_THROW(device->run(*kernel, {.buffers = {buffer.get()}, .scalars = {1}, .groups = 1}), Error);
  EXPECT_THROW(device->run(*kernel, {.buffers = {buffer.get(), buffer.get()}, .scalars = {}, .groups = 1}), Error);
  EXPECT_THROW(device->run(*kernel, {.buffers = {buffer.get(), nullptr}, .scalars = {1}, .groups = 1}), Error);
  const auto other = open(plain());
  const auto foreign = other->make_buffer(16);
  EXPECT_THROW(device->run(*kernel, {.buffers = {buffer.get(), foreign.get()}, .scalars = {1}, .groups = 1}), Error);
}

}  // namespace
}  // namespace sonde::device::model
