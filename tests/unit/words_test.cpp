// The words that name curves and probes are those that docs/records.schema.json lists, both ways. tools/check_words.py
// holds to it what is only written out.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "probes/catalog.hpp"
#include "probes/copy/route.hpp"
#include "probes/cpu_bandwidth/plan.hpp"
#include "workloads/walk/path.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {
namespace {

using Words = std::set<std::string>;
using Series = std::map<std::string, std::string>;
using workloads::Path;
using workloads::Pattern;

nlohmann::json schema() { return nlohmann::json::parse(std::ifstream(RECORDS_SCHEMA)).at("$defs"); }

Words listed(const std::string& key) {
  const nlohmann::json words = schema().at("series").at("properties").at(key);
  return (words.contains("enum") ? words : words.at("anyOf").at(0)).at("enum").get<Words>();
}

/// The words that any of these series has for a key.
Words said(const std::vector<Series>& all, const std::string& key) {
  Words words;
  for (const Series& series : all) {
    if (const auto word = series.find(key); word != series.end()) words.insert(word->second);
  }
  return words;
}

Words keys_of(const std::vector<Series>& all) {
  Words keys;
  for (const Series& series : all) {
    for (const auto& [key, word] : series) keys.insert(key);
  }
  return keys;
}

std::vector<Series> of_walks() {
  std::vector<Series> all{workloads::series_awake()};
  for (const Path path : {Path::vector, Path::scalar, Path::constant, Path::image, Path::local, Path::atomic})
    all.push_back(series_of(path));
  return all;
}

std::vector<Series> of_streams() {
  std::vector<Series> all;
  for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::copy, Pattern::add, Pattern::triad,
                                Pattern::read_image, Pattern::read_local}) {
    for (const auto sharing : {workloads::Sharing::shared, workloads::Sharing::separate})
      all.push_back(series_of(pattern, sharing));
  }
  return all;
}

std::vector<Series> of_streams_of_the_cpu() {
  std::vector<Series> all;
  for (int stream = 0; stream < cpu::streams; ++stream) {
    for (const auto stores : {cpu::Stores::ordinary, cpu::Stores::non_temporal}) {
      for (const auto pinning : {Pinning::compact, Pinning::spread})
        all.push_back(series_of({.stream = static_cast<cpu::Stream>(stream), .stores = stores, .pinning = pinning}));
    }
  }
  return all;
}

std::vector<Series> of_copies() {
  std::vector<Series> all;
  for (const Mover mover : {Mover::driver, Mover::transfer, Mover::compute_shader}) {
    for (const HostEnd host : {HostEnd::pageable, HostEnd::pinned, HostEnd::imported, HostEnd::map_memcpy}) {
      for (const Direction direction : {Direction::to_device, Direction::to_host, Direction::both, Direction::within}) {
        for (const bool beside_kernel : {false, true})
          all.push_back(series_of({mover, host, direction, beside_kernel}));
      }
    }
  }
  return all;
}

TEST(Words, EveryProbeIsInTheSchemaAndNoOther) {
  Words names;
  for (const measure::Probe* probe : catalog()) names.insert(std::string(probe->name));
  EXPECT_EQ(names, schema().at("probe").at("enum").get<Words>());
}

TEST(Words, EveryWayToWalkToStreamAndToCopyIsInTheSchemaAndNoOther) {
  std::vector<Series> all = of_walks();
  std::ranges::copy(of_streams(), std::back_inserter(all));
  std::ranges::copy(of_streams_of_the_cpu(), std::back_inserter(all));
  for (const char* const key : {"path", "pattern", "sharing", "stores", "pinning"})
    EXPECT_EQ(said(all, key), listed(key)) << key;
  for (const char* const key : {"engine", "host", "direction"}) EXPECT_EQ(said(of_copies(), key), listed(key)) << key;
  std::ranges::copy(of_copies(), std::back_inserter(all));
  const Words known = schema().at("series").at("propertyNames").at("enum").get<Words>();
  for (const std::string& key : keys_of(all)) {
    ASSERT_TRUE(known.contains(key)) << key;
    EXPECT_TRUE(std::ranges::includes(listed(key), said(all, key))) << key;
  }
}

}  // namespace
}  // namespace sonde::probes
