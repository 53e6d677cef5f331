// The device contract, streaming kernels: their sums and the contents of memory are what the host computes, whatever
// the shape and the walk. No test looks at a time.

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "driver/device_test.hpp"
#include "kernels.hpp"

namespace sonde::device {
namespace {

/// The numbers of a walk, in the scalars' order, with its shape.
struct Case {
  std::uint32_t group_size;
  std::uint32_t groups;
  std::uint32_t vector_words;
  std::uint32_t in_flight;
  std::uint32_t trips;
  std::uint32_t start;
  std::uint32_t blocks;
  std::uint32_t block_step;
  std::uint32_t group_step;
  std::uint32_t group_offset;
  Use use = Use::storage;
  bool spread = false;
  std::uint32_t group_further = 0;
  std::uint32_t scatter = 0;

  std::vector<std::uint32_t> scalars(std::initializer_list<std::uint32_t> further = {}) const {
    std::vector<std::uint32_t> all{trips, start, blocks, block_step, group_step, group_offset, group_further, scatter};
    all.insert(all.end(), further);
    return all;
  }
  std::uint32_t block_words() const { return group_size * vector_words * in_flight; }
  std::uint32_t position(std::uint32_t group, std::uint32_t trip) const {
    return (start + group * group_offset + std::min(group, group_further) + trip) % blocks;
  }
  std::size_t word(std::uint32_t group, std::uint32_t at) const {
    return (std::size_t{group} * group_step + std::size_t{at} * block_step) * block_words();
  }
  /// The index of a word of the block at a position: its rows lie side by side, or apart where the walk is spread.
  std::size_t place(std::uint32_t group, std::uint32_t position, std::uint32_t word_of_block) const {
    const std::uint32_t run = scatter + 1;
    const std::uint32_t at = position / run * run + position * (group * 0x9E3779B2u + 1) % run;
    const std::uint32_t row = group_size * vector_words;
    if (!spread) return word(group, at) + word_of_block;
    return (std::size_t{group} * group_step * in_flight + at + std::size_t{word_of_block / row} * blocks) * row +
           word_of_block % row;
  }
  std::size_t words() const { return word(groups - 1, blocks - 1) + block_words(); }
};

/// The cases, and those whose slices are in one piece also with the loads in flight spread.
std::vector<Case> and_spread(std::vector<Case> cases) {
  const std::size_t count = cases.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (cases[i].block_step != 1 || cases[i].in_flight == 1) continue;
    cases.push_back(cases[i]);
    cases.back().spread = true;
  }
  return cases;
}

/// Walks over a slice for each group and over blocks in turn; in several shapes, over a lap and a bit, several laps,
/// and none.
std::vector<Case> own_blocks() {
  return and_spread({{1, 1, 4, 1, 7, 2, 5, 1, 5, 0},
                     {1, 3, 4, 8, 20, 4, 9, 1, 9, 2},
                     {8, 2, 4, 2, 5, 0, 6, 2, 1, 0},
                     {32, 3, 4, 4, 9, 1, 4, 3, 1, 1},
                     {1, 2, 16, 8, 11, 3, 4, 1, 4, 3},
                     {4, 2, 8, 4, 6, 1, 3, 1, 3, 1},
                     {8, 2, 4, 16, 5, 1, 3, 1, 3, 1},
                     {16, 2, 4, 1, 0, 0, 3, 1, 3, 0}});
}

/// Each case with storage buffers and with bound ones.
std::vector<Case> in_turn(std::vector<Case> cases) {
  const std::size_t count = cases.size();
  for (std::size_t i = 0; i < count; ++i) {
    cases.push_back(cases[i]);
    cases.back().use = Use::bound;
  }
  return cases;
}

class DeviceStream : public test::DeviceTest {
 protected:
  Use use = Use::storage;

  std::unique_ptr<Buffer> stream_of(std::span<const std::uint32_t> words) { return buffer_of(words, use); }

  std::unique_ptr<Kernel> kernel(const KernelSource& source, const Case& one) {
    const std::array<Constant, 3> constants{
        {{"IN_FLIGHT", one.in_flight}, {"VECTOR_WORDS", one.vector_words}, {"SPREAD", one.spread ? 1u : 0u}}};
    return device->make_kernel(source, one.group_size, constants);
  }

  /// The cases whose shapes this device has.
  std::vector<Case> allowed(std::vector<Case> cases) const {
    std::erase_if(cases, [this](const Case& one) {
      return one.group_size > device->info().largest_group_size ||
             one.vector_words * 4 > device->info().widest_load_bytes;
    });
    return cases;
  }
};

std::vector<std::uint32_t> noisy(std::size_t count, std::uint32_t seed) {
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) word = seed = seed * 1664525 + 1013904223;
  return words;
}

/// The sums that the items of a reading kernel must write, followed by words that no item may touch.
std::vector<std::uint32_t> sums_of(const Case& one, const std::vector<std::uint32_t>& words) {
  std::vector<std::uint32_t> sums(one.group_size * one.groups + 3, 77);
  for (std::uint32_t item = 0; item < one.group_size * one.groups; ++item) {
    sums[item] = 0;
    const std::uint32_t group = item / one.group_size;
    for (std::uint32_t trip = 0; trip < one.trips; ++trip) {
      for (std::uint32_t word = 0; word < one.block_words(); ++word) {
        if (word / one.vector_words % one.group_size != item % one.group_size) continue;
        sums[item] += words.at(one.place(group, one.position(group, trip), word));
      }
    }
  }
  return sums;
}

TEST_P(DeviceStream, ReadAddsUpWhatEveryItemWalkedOver) {
  std::vector<Case> cases = own_blocks();
  Case one_set_for_all{8, 3, 4, 4, 13, 2, 7, 1, 0, 2};
  one_set_for_all.group_further = 1;
  for (const Case& one : and_spread({one_set_for_all})) cases.push_back(one);
  Case each_in_its_own_order{8, 5, 4, 2, 37, 3, 16, 1, 0, 3};
  each_in_its_own_order.scatter = 15;
  cases.push_back(each_in_its_own_order);
  Case in_runs_of_four{4, 7, 4, 4, 17, 2, 12, 1, 0, 1};
  in_runs_of_four.scatter = 3;
  for (const Case& one : and_spread({in_runs_of_four})) cases.push_back(one);
  for (const Case& one : in_turn(allowed(cases))) {
    use = one.use;
    const auto words = noisy(one.words(), 5);
    const auto a = stream_of(words);
    const std::vector<std::uint32_t> expected = sums_of(one, words);
    const auto sums = stream_of(std::vector<std::uint32_t>(expected.size(), 77));
    const auto read = kernel(kernels::stream_read, one);
    (void)device->run(*read, {.buffers = {a.get(), sums.get()}, .scalars = one.scalars(), .groups = one.groups});
    EXPECT_EQ(test::words_in(*sums), expected) << one.group_size << " items, " << one.in_flight << " in flight";
    EXPECT_EQ(test::words_in(*a), words);
  }
}

TEST_P(DeviceStream, ThroughTheTextureUnitAndFromLocalMemoryTheSameIsRead) {
  // The cases are slices, blocks in turn, wide vectors, one set for all, and as much memory as a group may have.
  const std::vector<Case> cases{{1, 3, 4, 8, 20, 4, 9, 1, 9, 2},
                                {8, 2, 4, 2, 5, 0, 6, 2, 1, 0},
                                {1, 2, 16, 8, 11, 3, 4, 1, 4, 3},
                                {8, 3, 4, 4, 13, 2, 7, 1, 0, 2},
                                {4, 2, 4, 2, 300, 1, 128, 1, 128, 5}};
  for (const Case& one : allowed(and_spread(cases))) {
    const auto words = noisy(one.words(), 11);
    const std::vector<std::uint32_t> expected = sums_of(one, words);
    for (const KernelSource* source : {&kernels::stream_image, &kernels::stream_local}) {
      const bool image = source == &kernels::stream_image;
      if (image && one.vector_words != 4) continue;
      const auto a = device->make_buffer(words.size() * 4, image ? Use::wide_texels : Use::storage);
      a->write(0, std::as_bytes(std::span(words)));
      const auto sums = stream_of(std::vector<std::uint32_t>(expected.size(), 77));
      const auto read = kernel(*source, one);
      (void)device->run(*read, {.buffers = {a.get(), sums.get()}, .scalars = one.scalars(), .groups = one.groups});
      EXPECT_EQ(test::words_in(*sums), expected)
          << source->name << ", " << one.group_size << " items, " << one.in_flight << " in flight";
      EXPECT_EQ(test::words_in(*a), words);
    }
  }
}

TEST_P(DeviceStream, WriteLeavesNoiseThatTellsTheTripOfEveryBlock) {
  for (const Case& one : in_turn(allowed(own_blocks()))) {
    use = one.use;
    constexpr std::uint32_t turn = 1000;
    std::vector<std::uint32_t> expected = noisy(one.words(), 6);
    const auto c = stream_of(expected);
    for (std::uint32_t trip = 0; trip < one.trips; ++trip) {
      for (std::uint32_t group = 0; group < one.groups; ++group) {
        for (std::uint32_t word = 0; word < one.block_words(); ++word) {
          const std::uint32_t vector = word / one.vector_words;
          const std::uint32_t item = group * one.group_size + vector % one.group_size;
          const std::uint32_t number =
              (item * one.in_flight + vector / one.group_size) * one.vector_words + word % one.vector_words;
          const std::uint32_t mixed = (number + 1) * 0x85EBCA6Bu;
          expected[one.place(group, one.position(group, trip), word)] =
              (mixed ^ (mixed >> 15)) * 0xC2B2AE35u + (turn + trip) * 0x9E3779B9u;
        }
      }
    }
    const auto write = kernel(kernels::stream_write, one);
    (void)device->run(*write, {.buffers = {c.get()}, .scalars = one.scalars({turn}), .groups = one.groups});
    EXPECT_EQ(test::words_in(*c), expected) << one.group_size << " items, " << one.in_flight << " in flight";
  }
}

TEST_P(DeviceStream, CopyAddAndTriadLeaveWhatTheHostComputes) {
  for (const Case& one : in_turn(allowed(own_blocks()))) {
    use = one.use;
    for (const std::uint32_t shift : {0u, one.blocks - 1}) {
      const auto first = noisy(one.words(), 7);
      const auto second = noisy(one.words(), 8);
      const auto before = noisy(one.words(), 9);
      const auto a = stream_of(first);
      const auto b = stream_of(second);
      constexpr std::uint32_t factor = 12345;
      const auto left_by = [&](auto value) {
        std::vector<std::uint32_t> words = before;
        for (std::uint32_t trip = 0; trip < one.trips; ++trip) {
          for (std::uint32_t group = 0; group < one.groups; ++group) {
            const std::uint32_t at = one.position(group, trip);
            for (std::uint32_t word = 0; word < one.block_words(); ++word) {
              const std::size_t here = one.place(group, at, word);
              words[here] = value(first.at(one.place(group, (at + shift) % one.blocks, word)), second.at(here));
            }
          }
        }
        return words;
      };
      const auto run = [&](const KernelSource& source, std::vector<Buffer*> from, std::vector<std::uint32_t> scalars) {
        const auto c = stream_of(before);
        from.push_back(c.get());
        (void)device->run(*kernel(source, one), {.buffers = from, .scalars = std::move(scalars), .groups = one.groups});
        return test::words_in(*c);
      };
      using Word = std::uint32_t;
      EXPECT_EQ(run(kernels::stream_copy, {a.get()}, one.scalars({shift})), left_by([](Word x, Word) { return x; }));
      EXPECT_EQ(run(kernels::stream_add, {a.get(), b.get()}, one.scalars({shift})),
                left_by([](Word x, Word y) { return x + y; }));
      EXPECT_EQ(run(kernels::stream_triad, {a.get(), b.get()}, one.scalars({shift, factor})),
                left_by([](Word x, Word y) { return x + factor * y; }));
      EXPECT_EQ(test::words_in(*a), first);
      EXPECT_EQ(test::words_in(*b), second);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceStream, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
