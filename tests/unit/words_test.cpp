// The words of a record's series and the numbers of its x: each field is written by one key and read back from it.

#include "measure/words.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace sonde::measure {
namespace {

using Series = std::map<std::string, std::string>;

/// Every enumerator of a field, in order, has this word, and the word is read as the enumerator.
template <typename Word>
void expect_words(std::optional<Word> Words::* field, const std::string& key,
                  std::initializer_list<const char*> texts) {
  int number = 0;
  for (const char* text : texts) {
    Words words;
    words.*field = static_cast<Word>(number++);
    EXPECT_EQ(written(words), (Series{{key, text}}));
    EXPECT_EQ(parse_words("latency", {{key, text}}), words) << key << " " << text;
    EXPECT_EQ(word_at(words, key), text);
  }
  EXPECT_TRUE(is_word_key(key)) << key;
}

TEST(Words, AreWrittenAndReadByTheirKeys) {
  expect_words(&Words::beside, "beside", {"nothing", "light-stream", "kernel", "gpu-load", "pairs", "split-locks"});
  expect_words(&Words::bytes_counted, "bytes-counted", {"program", "bus"});
  expect_words(&Words::chain, "chain", {"parallel", "dependent"});
  expect_words(&Words::core, "core", {"performance", "efficiency", "low-power"});
  expect_words(&Words::counted, "counted", {"total", "to-device", "to-host"});
  expect_words(&Words::direction, "direction", {"to-device", "to-host", "both", "within"});
  expect_words(&Words::engine, "engine", {"driver", "transfer", "compute-shader"});
  expect_words(&Words::exchange, "exchange", {"compare-and-swap", "store"});
  expect_words(&Words::fabric, "fabric", {"idle", "loaded"});
  expect_words(&Words::host, "host", {"pageable", "pinned", "imported", "map-memcpy"});
  expect_words(&Words::line, "line", {"clean", "modified"});
  expect_words(&Words::method, "method", {"timing", "counters"});
  expect_words(&Words::operation, "operation",
               {"fma", "add", "multiply", "multiply-add", "dot4", "reciprocal", "square-root", "exponential", "sine"});
  expect_words(&Words::order, "order", {"cycle", "independent", "page"});
  expect_words(&Words::pages, "pages", {"small", "huge"});
  expect_words(&Words::path, "path", {"vector", "scalar", "local", "constant", "image", "buffer"});
  expect_words(
      &Words::pattern, "pattern",
      {"read", "write", "copy", "add", "triad", "scale", "read-modify-write", "read-2-write-1", "read-3-write-1"});
  expect_words(&Words::pinning, "pinning", {"compact", "spread"});
  expect_words(&Words::placement, "placement",
               {"same-cluster", "other-cluster", "other-node", "same-core", "same-node"});
  expect_words(&Words::role, "role", {"writer", "reader"});
  expect_words(&Words::sharing, "sharing", {"shared", "private"});
  expect_words(&Words::side, "side", {"gpu", "cpu"});
  expect_words(&Words::state, "state", {"asleep", "awake"});
  expect_words(&Words::stores, "stores", {"ordinary", "non-temporal"});
  expect_words(&Words::type, "type", {"fp64", "fp32", "fp16", "bf16", "int64", "int32", "int16", "int8"});
  expect_words(&Words::writer, "writer", {"cpu", "gpu"});
}

TEST(Words, NamesAreKeptAsTheyAre) {
  const Words words{.level = "level 2", .memory = std::string("DEVICE_LOCAL+HOST_VISIBLE")};
  EXPECT_EQ(written(words), (Series{{"level", "level 2"}, {"memory", "DEVICE_LOCAL+HOST_VISIBLE"}}));
  EXPECT_EQ(parse_words("latency", written(words)), words);
  EXPECT_EQ(Name("memory"), Name(std::string("memory"))) << "compared by their letters";
}

TEST(Words, AStrideIsWrittenInKibibytesOrMebibytes) {
  for (const auto& [bytes, text] :
       {std::pair(1u << 10, "1K"), std::pair(1u << 12, "4K"), std::pair(1u << 16, "64K"), std::pair(2u << 20, "2M")}) {
    EXPECT_EQ(written(Words{.stride_bytes = bytes}), (Series{{"stride", text}}));
    EXPECT_EQ(parse_words("latency", {{"stride", text}}), Words{.stride_bytes = bytes});
  }
  EXPECT_EQ(written(parse_words("latency", {{"stride", "wide"}})), (Series{{"stride", "wide"}}));
}

TEST(Words, WhatALaterVersionSaysIsKeptAndTellsCurvesApart) {
  const Series later{{"colour", "red"}, {"path", "hologram"}, {"pattern", "read"}, {"weather", "fine"}};
  const Words words = parse_words("bandwidth", later);
  EXPECT_EQ(words.pattern, Pattern::read);
  EXPECT_FALSE(words.path);
  EXPECT_EQ(written(words), later);
  Series other = later;
  other["weather"] = "rain";
  EXPECT_NE(parse_words("bandwidth", other), words);
  EXPECT_NE(parse_words("bandwidth", {{"pattern", "read"}}), words);
  EXPECT_FALSE(is_word_key("weather"));
}

// The table of docs/records.md.
TEST(Words, FabricOfOldFilesIsReadAsWhatItMeant) {
  for (const char* probe : {"latency", "host-memory"}) {
    EXPECT_EQ(parse_words(probe, {{"fabric", "loaded"}}), Words{.fabric = Fabric::loaded});
    EXPECT_EQ(parse_words(probe, {{"fabric", "idle"}}), Words{.fabric = Fabric::idle});
  }
  EXPECT_EQ(parse_words("copy", {{"fabric", "loaded"}}), Words{.beside = Beside::kernel});
  EXPECT_EQ(parse_words("contention", {{"fabric", "idle"}}), Words{.beside = Beside::nothing});
  EXPECT_EQ(parse_words("contention", {{"fabric", "loaded"}}), Words{.beside = Beside::gpu_load});
  EXPECT_EQ(parse_words("core-to-core", {{"fabric", "loaded"}, {"placement", "same-node"}}),
            (Words{.beside = Beside::pairs, .placement = Placement::same_node}));
  EXPECT_EQ(parse_words("core-to-core", {{"fabric", "idle"}}), Words{.beside = Beside::nothing});
  EXPECT_EQ(parse_words("core-to-core", {{"fabric", "loaded"}}), Words{.beside = Beside::split_locks});
}

TEST(Words, AddedOnesTakeThePlaceOfOthersOfTheirKey) {
  const Words words{.memory = "device", .path = Path::vector};
  EXPECT_EQ(with(words, {.order = Order::page, .path = Path::image}),
            (Words{.memory = "device", .order = Order::page, .path = Path::image}));
  EXPECT_EQ(with(words, {.memory = "svm-fine"}), (Words{.memory = "svm-fine", .path = Path::vector}));
  EXPECT_EQ(with(words, {}), words);
}

TEST(Coordinates, AreWrittenAndReadByTheirKeys) {
  const Coordinates x{.address = 1,
                      .bytes = 2,
                      .cpu_threads = 3,
                      .delay = 4,
                      .from = 5,
                      .gpu_gbps = 6,
                      .groups = 7,
                      .height = 8,
                      .hops = 9,
                      .load = 10,
                      .node = 11,
                      .operations_per_byte = 12,
                      .queues = 13,
                      .seconds = 14,
                      .to = 15,
                      .width = 16};
  const std::map<std::string, double> numbers{
      {"address", 1}, {"bytes", 2},    {"cpu_threads", 3}, {"delay", 4}, {"from", 5},  {"gpu_gbps", 6},
      {"groups", 7},  {"height", 8},   {"hops", 9},        {"load", 10}, {"node", 11}, {"operations_per_byte", 12},
      {"queues", 13}, {"seconds", 14}, {"to", 15},         {"width", 16}};
  EXPECT_EQ(written(x), numbers);
  EXPECT_EQ(parse_coordinates(numbers), x);
  for (const auto& [key, number] : numbers) {
    EXPECT_TRUE(is_coordinate_key(key)) << key;
    EXPECT_EQ(number_at(x, key), number);
  }
  EXPECT_EQ(written(Coordinates{.bytes = 0}), (std::map<std::string, double>{{"bytes", 0}})) << "zero is a number";
}

TEST(Coordinates, AddedOnesTakeThePlaceOfOthersOfTheirKey) {
  EXPECT_EQ(with(Coordinates{.bytes = 64, .groups = 2}, {.groups = 3, .load = 0.5}),
            (Coordinates{.bytes = 64, .groups = 3, .load = 0.5}));
}

}  // namespace
}  // namespace sonde::measure
