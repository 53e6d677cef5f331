#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/model/kernels.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t words_of_a_vector = 4;
constexpr std::size_t inputs = 3;
/// More passes than any frame has; after these a launch is taken for the first of another frame.
constexpr std::size_t most_passes = 1024;

struct Input {
  Invocation& invocation;
  std::size_t place;
  BufferWords words = invocation.buffer(place);
  std::uint32_t rows = scalar(0);
  std::uint32_t times = scalar(1);
  std::uint32_t step = scalar(2);
  std::uint32_t start = scalar(3);
  std::uint32_t vectors = scalar(4);

  [[nodiscard]] std::uint32_t scalar(std::size_t which) const { return invocation.scalar(3 + place * 5 + which); }
  /// Calls `each` for each stretch into which `count` vectors from a place on fall, with the number that came before.
  template <typename Each>
  void for_each_stretch(std::uint64_t first, std::uint64_t count, Each each) const {
    if (first >= vectors) first -= vectors;
    const std::uint64_t before_end = first >= vectors ? count : std::min<std::uint64_t>(count, vectors - first);
    each(first, before_end, std::uint64_t{0});
    if (before_end < count) each(std::uint64_t{0}, count - before_end, before_end);
  }
};

struct Pass {
  Invocation& invocation;
  std::array<Input, inputs> in{Input{invocation, 0}, Input{invocation, 1}, Input{invocation, 2}};
  BufferWords target = invocation.buffer(inputs);
  std::uint32_t items = invocation.scalar(0);
  std::uint32_t salt = invocation.scalar(1);
  std::uint32_t rows = invocation.scalar(2);
  std::uint32_t group_size = invocation.kernel.group_size;
  std::uint32_t groups = invocation.kernel.groups;

  std::uint32_t blocks() const { return (items + group_size - 1) / group_size; }
  std::uint32_t width(std::uint32_t block) const { return std::min(group_size, items - block * group_size); }
  std::uint64_t first_vector(std::uint32_t block, std::uint32_t of_rows) const {
    return std::uint64_t{block} * group_size * of_rows;
  }
};

/// Computes made = made * factor + words; the host's time goes here, so CMakeLists.txt has this file at -O3.
void take_in(std::uint32_t* __restrict made, const std::uint32_t* __restrict words, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) made[i] = made[i] * 0x85EBCA6Bu + words[i];
}

void put_out(std::uint32_t* __restrict to, std::uint32_t* __restrict made, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    to[i] = made[i];
    made[i] += 0xC2B2AE35u;
  }
}

void make_block(Pass& pass, std::uint32_t block, std::vector<std::uint32_t>& made) {
  const std::uint32_t width = pass.width(block);
  const std::uint32_t row_words = width * words_of_a_vector;
  const std::uint32_t first_word = block * pass.group_size * words_of_a_vector;
  for (std::uint32_t word = 0; word < row_words; ++word) made[word] = (first_word + word) * 0x9E3779B9u + pass.salt;
  for (const Input& input : pass.in) {
    for (std::uint32_t time = 0; time < input.times; ++time) {
      const std::uint64_t first = pass.first_vector(block, input.rows) + input.start + std::uint64_t{time} * input.step;
      for (std::uint32_t row = 0; row < input.rows; ++row) {
        input.for_each_stretch(first + std::uint64_t{row} * width, width,
                               [&](std::uint64_t at, std::uint64_t count, std::uint64_t before) {
                                 take_in(&made[before * words_of_a_vector],
                                         input.words.contents(at * words_of_a_vector, count * words_of_a_vector),
                                         count * words_of_a_vector);
                               });
      }
    }
  }
  std::uint32_t* to = pass.target.changed_contents(pass.first_vector(block, pass.rows) * words_of_a_vector,
                                                   std::uint64_t{pass.rows} * row_words);
  for (std::uint32_t row = 0; row < pass.rows; ++row, to += row_words) put_out(to, made.data(), row_words);
}

/// Moves what one block reads and writes through the caches.
void move_block(Pass& pass, std::uint32_t block) {
  const std::uint32_t width = pass.width(block);
  pass.invocation.memory.enter(block % pass.groups);
  for (Input& input : pass.in) {
    for (std::uint32_t time = 0; time < input.times; ++time) {
      const std::uint64_t first = pass.first_vector(block, input.rows) + input.start + std::uint64_t{time} * input.step;
      input.for_each_stretch(first, std::uint64_t{input.rows} * width,
                             [&](std::uint64_t at, std::uint64_t count, std::uint64_t) {
                               input.words.stream(at * words_of_a_vector, count * words_of_a_vector, Transfer::read);
                             });
    }
  }
  pass.target.stream(pass.first_vector(block, pass.rows) * words_of_a_vector,
                     std::uint64_t{pass.rows} * width * words_of_a_vector, Transfer::write);
}

/// A launch as it is in every frame: all but the salt, and where its part of a texture begins.
std::vector<std::uint64_t> identity_of(const Pass& pass) {
  std::vector<std::uint64_t> launch{pass.target.address(), pass.items, pass.rows, pass.groups};
  for (const Input& input : pass.in)
    launch.insert(launch.end(), {input.words.address(), input.rows, input.times, input.step, input.vectors});
  return launch;
}

bool are_alike(const std::vector<MovedByPass>& one, const std::vector<MovedByPass>& other) {
  return std::ranges::equal(one, other, [](const MovedByPass& left, const MovedByPass& right) {
    return left.launch == right.launch && alike(left.traffic, right.traffic);
  });
}

/// Moves all that the pass reads and writes through the caches. Once a frame was like the one before, all further ones
/// are.
void move_all(Pass& pass) {
  FrameMemory& memory = pass.invocation.kernel.frame_memory;
  Memory& caches = pass.invocation.memory;
  std::vector<std::uint64_t> launch = identity_of(pass);
  const bool begins_a_frame = !memory.frame.empty() && memory.frame.front().launch == launch;
  if (begins_a_frame || memory.frame.size() == most_passes) {
    memory.is_steady = are_alike(memory.frame, memory.last_frame);
    memory.last_frame = std::exchange(memory.frame, {});
  }
  const std::size_t place = memory.frame.size();
  memory.is_steady = memory.is_steady && place < memory.last_frame.size() && memory.last_frame[place].launch == launch;
  if (memory.is_steady) {
    memory.frame.push_back(memory.last_frame[place]);
    caches.add_streamed(memory.frame.back().traffic, 1);
    return;
  }
  for (std::uint32_t block = 0; block < pass.blocks(); ++block) move_block(pass, block);
  memory.frame.push_back({std::move(launch), caches.streamed()});
}

}  // namespace

void frame_pass(Invocation& invocation) {
  Pass pass{invocation};
  move_all(pass);
  const std::uint64_t written_words = std::uint64_t{pass.items} * pass.rows * words_of_a_vector;
  std::uint64_t words = written_words;
  std::vector<BufferWords> read;
  for (const Input& input : pass.in) {
    if (input.times == 0) continue;
    (void)input.words.contents(0, std::uint64_t{input.vectors} * words_of_a_vector);
    read.push_back(input.words);
    words += std::uint64_t{pass.items} * input.rows * input.times * words_of_a_vector;
  }
  (void)pass.target.contents(0, written_words);
  pass.target.write_later(read, {written_words}, 0, 1, 1, words, [pass]() mutable {
    std::vector<std::uint32_t> made(std::size_t{pass.group_size} * words_of_a_vector);
    for (std::uint32_t block = 0; block < pass.blocks(); ++block) make_block(pass, block, made);
  });
}

}  // namespace sonde::device::model
