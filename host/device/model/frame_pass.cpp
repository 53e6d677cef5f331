#include "device/model/frame_pass.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/model/stream_trips.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t words_of_a_vector = 4;
constexpr std::size_t inputs = 3;
/// More than any frame has, after which a launch is taken for the first of another.
constexpr std::size_t most_passes = 1024;

struct Input {
  Invocation::Words words;
  std::uint32_t rows;
  std::uint32_t times;
  std::uint32_t step;
  std::uint32_t start;
  std::uint32_t vectors;

  Input(Invocation& invocation, std::size_t place)
      : words(invocation.buffer(place)),
        rows(scalar(invocation, place, 0)),
        times(scalar(invocation, place, 1)),
        step(scalar(invocation, place, 2)),
        start(scalar(invocation, place, 3)),
        vectors(scalar(invocation, place, 4)) {}

  static std::uint32_t scalar(const Invocation& invocation, std::size_t place, std::size_t which) {
    return invocation.scalar(3 + place * 5 + which);
  }
  /// Calls for each stretch of vectors that `count` of them from a place on fall into, with how many came before.
  template <typename Each>
  void for_each_stretch(std::uint64_t first, std::uint64_t count, Each each) const {
    if (first >= vectors) first -= vectors;
    const std::uint64_t before_end = first >= vectors ? count : std::min<std::uint64_t>(count, vectors - first);
    each(first, before_end, std::uint64_t{0});
    if (before_end < count) each(std::uint64_t{0}, count - before_end, before_end);
  }
};

struct Pass {
  std::array<Input, inputs> in;
  Invocation::Words target;
  std::uint32_t items;
  std::uint32_t salt;
  std::uint32_t rows;
  std::uint32_t group_size;
  std::uint32_t groups;

  explicit Pass(Invocation& invocation)
      : in{Input(invocation, 0), Input(invocation, 1), Input(invocation, 2)},
        target(invocation.buffer(inputs)),
        items(invocation.scalar(0)),
        salt(invocation.scalar(1)),
        rows(invocation.scalar(2)),
        group_size(invocation.shape().group_size),
        groups(invocation.shape().groups) {}

  std::uint32_t blocks() const { return (items + group_size - 1) / group_size; }
  std::uint32_t width(std::uint32_t block) const { return std::min(group_size, items - block * group_size); }
  std::uint64_t first_vector(std::uint32_t block, std::uint32_t of_rows) const {
    return std::uint64_t{block} * group_size * of_rows;
  }
};

/// made = made * factor + words; the host's time goes here, so CMakeLists.txt has this file at -O3.
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

/// What one block costs.
void move_block(Invocation& invocation, Pass& pass, std::uint32_t block) {
  const std::uint32_t width = pass.width(block);
  invocation.enter_group(block % pass.groups);
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

/// What a launch is in every frame: all but the salt, and where its part of a texture begins.
std::vector<std::uint64_t> told_apart(const Pass& pass) {
  std::vector<std::uint64_t> launch{pass.target.address(), pass.items, pass.rows, pass.groups};
  for (const Input& input : pass.in)
    launch.insert(launch.end(), {input.words.address(), input.rows, input.times, input.step, input.vectors});
  return launch;
}

bool are_alike(const std::vector<MovedByPass>& one, const std::vector<MovedByPass>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const MovedByPass& left, const MovedByPass& right) {
                      return left.launch == right.launch && alike(left.traffic, right.traffic);
                    });
}

/// All that the pass moves, through the caches. Once a frame was like the one before, all further ones are.
void move_all(Invocation& invocation, Pass& pass) {
  FrameMemory& memory = invocation.frame_memory();
  Memory& caches = invocation.memory();
  std::vector<std::uint64_t> launch = told_apart(pass);
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
  for (std::uint32_t block = 0; block < pass.blocks(); ++block) move_block(invocation, pass, block);
  memory.frame.push_back({std::move(launch), caches.streamed()});
}

}  // namespace

void frame_pass(Invocation& invocation) {
  Pass pass(invocation);
  move_all(invocation, pass);
  std::vector<std::uint32_t> made(std::size_t{pass.group_size} * words_of_a_vector);
  for (std::uint32_t block = 0; block < pass.blocks(); ++block) make_block(pass, block, made);
}

}  // namespace sonde::device::model
