// Model files: defaults, every complaint, and the devices that are built in.

#include "records/input_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "built_in_models.hpp"

namespace sonde::records {
namespace {

using device::model::Description;
using device::model::Policy;
using device::model::Scope;

std::string complaint(std::string_view text) {
  try {
    (void)parse_model({std::string(text), "x.json"});
  } catch (const InvalidFile& error) {
    return error.what();
  }
  return "none";
}

/// A valid file whose outermost object has `more` as well.
std::string with(const std::string& more) {
  return R"({"name": "x", "levels": [{"bytes": 4096, "latency_ns": 10}, {"latency_ns": 100}], )" + more + "}";
}
/// The same with `more` in its first level.
std::string with_level(const std::string& more) {
  return R"({"name": "x", "levels": [{"latency_ns": 10, )" + more + R"(}, {"latency_ns": 100}]})";
}

constexpr std::string_view example = R"(
    {"name": "example", "type": "integrated", "compute_units": 16, "memory_bytes": 17179869184, "unified_memory": true,
     "clock_mhz": 2500, "launch_ns": 8000, "timer_step_ns": 10, "first_launch_ms": 5, "seed": 1, "local_latency_ns": 20,
     "idle_factor": 1.0, "saturated_by": 16,
     "noise": {"relative": 0.01, "outlier_share": 0.01, "outlier_factor": 3.0, "ramp_seconds": 0.2},
     "levels": [{"name": "L1", "bytes": 32768, "line": 128, "ways": 8, "policy": "lru", "per": "compute_unit", "latency_ns": 40, "read_gbps": 9000, "write_gbps": 4000},
                {"name": "L2", "bytes": 2097152, "line": 128, "ways": 16, "policy": "plru", "hashed": true, "latency_ns": 95, "read_gbps": 2400, "write_gbps": 700},
                {"name": "memory-side cache", "bytes": 33554432, "line": 64, "ways": 16, "policy": "random", "hashed": true, "memory_side": true, "latency_ns": 160, "read_gbps": 980, "write_gbps": 900},
                {"name": "DRAM", "latency_ns": 290, "read_gbps": 215, "write_gbps": 200}],
     "translation": {"page": 65536, "entries": 512, "penalty_ns": 0},
     "host_memory": {"latency_ns": 290, "bypasses_memory_side_cache": true, "zero_copy": ["alloc-host-ptr", "svm-coarse", "host-visible+host-coherent"]},
     "copy": {"to_device_gbps": 84, "to_host_gbps": 45, "latency_us": 12, "engines": 1},
     "cpu": {"idle_latency_ns": 140, "loaded_latency_ns": 310, "contention_knee_gbps": 150}})";

TEST(ModelFile, ReadsEveryField) {
  const Description model = parse_model({std::string(example), "example.json"});
  EXPECT_EQ(model.name, "example");
  EXPECT_EQ(model.type, "integrated");
  EXPECT_EQ(model.compute_units, 16u);
  EXPECT_EQ(model.memory_bytes, 17179869184u);
  EXPECT_TRUE(model.unified_memory);
  EXPECT_EQ(model.clock_mhz, 2500);
  EXPECT_EQ(model.launch_ns, 8000);
  EXPECT_EQ(model.timer_step_ns, 10);
  EXPECT_EQ(model.first_launch_ms, 5);
  EXPECT_EQ(model.seed, 1u);
  EXPECT_EQ(model.local_latency_ns, 20);
  EXPECT_EQ(model.idle_factor, 1);
  EXPECT_EQ(model.saturated_by, 16u);
  EXPECT_EQ(model.noise.relative, 0.01);
  EXPECT_EQ(model.noise.outlier_share, 0.01);
  EXPECT_EQ(model.noise.outlier_factor, 3);
  EXPECT_EQ(model.noise.ramp_seconds, 0.2);
  ASSERT_EQ(model.levels.size(), 4u);
  EXPECT_EQ(model.levels[0].name, "L1");
  EXPECT_EQ(model.levels[0].bytes, 32768u);
  EXPECT_EQ(model.levels[0].line_bytes, 128u);
  EXPECT_EQ(model.levels[0].ways, 8u);
  EXPECT_EQ(model.levels[0].scope, Scope::compute_unit);
  EXPECT_EQ(model.levels[0].latency_ns, 40);
  EXPECT_EQ(model.levels[0].read_gbps, 9000);
  EXPECT_EQ(model.levels[0].write_gbps, 4000);
  EXPECT_FALSE(model.levels[0].hashed);
  EXPECT_EQ(model.levels[1].policy, Policy::plru);
  EXPECT_EQ(model.levels[1].scope, Scope::device);
  EXPECT_TRUE(model.levels[1].hashed);
  EXPECT_EQ(model.levels[2].policy, Policy::random);
  EXPECT_TRUE(model.levels[2].memory_side);
  EXPECT_EQ(model.levels[3].bytes, 0u);
  ASSERT_EQ(model.translation.size(), 1u);
  EXPECT_EQ(model.translation[0].page_bytes, 65536u);
  EXPECT_EQ(model.translation[0].entries, 512u);
  EXPECT_EQ(model.host_memory.latency_ns, 290);
  EXPECT_TRUE(model.host_memory.bypasses_memory_side_cache);
  EXPECT_EQ(model.host_memory.zero_copy.size(), 3u);
  EXPECT_EQ(model.copy.to_device_gbps, 84);
  EXPECT_EQ(model.copy.to_host_gbps, 45);
  EXPECT_EQ(model.copy.latency_us, 12);
  EXPECT_EQ(model.cpu.idle_latency_ns, 140);
  EXPECT_EQ(model.cpu.loaded_latency_ns, 310);
  EXPECT_EQ(model.cpu.contention_knee_gbps, 150);
}

TEST(ModelFile, TranslationMayHaveSeveralTables) {
  const Description model =
      parse_model({with(R"("translation": [{"page": 4096}, {"entries": 7, "penalty_ns": 3}])"), "x.json"});
  ASSERT_EQ(model.translation.size(), 2u);
  EXPECT_EQ(model.translation[0].page_bytes, 4096u);
  EXPECT_EQ(model.translation[1].entries, 7u);
  EXPECT_EQ(model.translation[1].penalty_ns, 3);
}

TEST(ModelFile, AllButNameAndLevelsHasADefault) {
  const Description model = parse_model({with(R"("seed": 18446744073709551615)"), "x.json"});
  EXPECT_EQ(model.type, "discrete");
  EXPECT_EQ(model.seed, ~std::uint64_t{0});
  EXPECT_EQ(model.levels[0].policy, Policy::lru);
  EXPECT_EQ(model.levels[0].ways, 16u);
  EXPECT_EQ(model.levels[0].line_bytes, 64u);
  EXPECT_FALSE(model.levels[0].hashed);
  EXPECT_EQ(model.levels[0].scope, Scope::device);
  EXPECT_EQ(model.noise.relative, 0);
  EXPECT_EQ(model.noise.outlier_share, 0);
  EXPECT_TRUE(model.translation.empty());
  EXPECT_EQ(model.levels[0].name, "L1");
  EXPECT_EQ(model.levels[1].name, "memory");
}

TEST(ModelFile, EveryFaultIsOneSentenceThatNamesTheField) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[]", "the file must be an object, not an array"},
      {"3", "the file must be an object, not 3"},
      {R"({"levels": [{"latency_ns": 1}]})", "name is missing"},
      {R"({"name": "x"})", "levels is missing"},
      {R"({"name": "x", "levels": []})", "levels must not be empty"},
      {R"({"name": "x", "levels": {}})", "levels must be an array, not an object"},
      {R"({"name": "x", "levels": [7]})", "levels[0] must be an object, not 7"},
      {R"({"name": "", "levels": [{"latency_ns": 1}]})", "name must not be empty"},
      {R"({"name": 3, "levels": [{"latency_ns": 1}]})", "name must be a text, not 3"},
      {R"({"name": "x", "levels": [{}]})", "levels[0].latency_ns is missing"},
      {R"({"name": "x", "levels": [{"latency_ns": 1}, {"latency_ns": 2}]})", "levels[0].bytes is missing"},
      {R"({"name": "x", "levels": [{"latency_ns": 1, "bytes": 64}]})",
       "levels[0].bytes must be left out, as the last level is the memory itself"},
      {R"({"name": "x", "levels": [{"latency_ns": 1, "bytes": 8192}, {"latency_ns": 2, "bytes": 4096}, {"latency_ns": 3}]})",
       "levels[1].bytes must be at least the 8192 of the level before, not 4096"},
      {with(R"("colour": 1)"), "colour is not a field that is known here"},
      {with(R"("two\nlines": 1)"), R"("two\nlines" is not a field that is known here)"},
      {with("\"" + std::string(100, 'a') + "\": 1"),
       "\"" + std::string(56, 'a') + "... is not a field that is known here"},
      {with(R"("noise": {"ä)" + std::string(53, 'a') + R"(äaaaaa": 1})"),
       "noise.\"ä" + std::string(53, 'a') + "... is not a field that is known here"},
      {R"({"levels": [{"latency_ns": 1}], "name": ")" + std::string(1001, 'a') + "\"}",
       "name must be at most 1000 bytes long"},
      {with(R"("host_memory": {"zero_copy": [")" + std::string(300, 'a') + R"("]})"),
       "host_memory.zero_copy must name kinds of memory, and \"" + std::string(56, 'a') + "... is none"},
      {with(R"("type": "cpu")"), R"(type must be discrete or integrated, not "cpu")"},
      {with(R"("compute_units": 0)"), "compute_units must be at least 1, not 0"},
      {with(R"("compute_units": 1.5)"), "compute_units must be a whole number, not 1.5"},
      {with(R"("compute_units": "2")"), R"(compute_units must be a whole number, not "2")"},
      {with(R"("memory_bytes": 1000)"), "memory_bytes must be at least 1048576, not 1000"},
      {with(R"("memory_bytes": 1e30)"), "memory_bytes must be at most 1125899906842624, not 1e+30"},
      {with(R"("unified_memory": 1)"), "unified_memory must be true or false, not 1"},
      {with(R"("clock_mhz": 0)"), "clock_mhz must be more than 0, not 0"},
      {with(R"("clock_mhz": null)"), "clock_mhz must be a number, not null"},
      {with(R"("launch_ns": -1)"), "launch_ns must be at least 0, not -1"},
      {with(R"("timer_step_ns": 0)"), "timer_step_ns must be more than 0, not 0"},
      {with(R"("first_launch_ms": -0.5)"), "first_launch_ms must be at least 0, not -0.5"},
      {with(R"("seed": -1)"), "seed must be at least 0, not -1"},
      {with(R"("seed": 18446744073709551616)"),
       "seed must be at most 18446744073709551615, not 1.8446744073709552e+19"},
      {with(R"("local_latency_ns": 0)"), "local_latency_ns must be more than 0, not 0"},
      {with(R"("idle_factor": 0)"), "idle_factor must be more than 0, not 0"},
      {with(R"("saturated_by": 0)"), "saturated_by must be at least 1, not 0"},
      {with(R"("noise": 3)"), "noise must be an object, not 3"},
      {with(R"("noise": {"relativ": 0})"), "noise.relativ is not a field that is known here"},
      {with(R"("noise": {"relative": -0.1})"), "noise.relative must be at least 0, not -0.1"},
      {with(R"("noise": {"outlier_share": 1.01})"), "noise.outlier_share must be at most 1, not 1.01"},
      {with(R"("noise": {"outlier_factor": 0.9})"), "noise.outlier_factor must be at least 1, not 0.9"},
      {with(R"("noise": {"ramp_seconds": -1})"), "noise.ramp_seconds must be at least 0, not -1"},
      {with(R"("translation": {"page": 0})"), "translation.page must be at least 1, not 0"},
      {with(R"("translation": {"page": 3000})"), "translation.page must be a power of two, not 3000"},
      {with(R"("memory_bytes": 1048576, "translation": {"page": 2097152})"),
       "translation.page must be at most memory_bytes, not 2097152"},
      {with(R"("translation": {"entries": 0})"), "translation.entries must be at least 1, not 0"},
      {with(R"("translation": {"penalty_ns": -1})"), "translation.penalty_ns must be at least 0, not -1"},
      {with(R"("translation": 4096)"), "translation must be an object, not 4096"},
      {with(R"("translation": [])"), "translation must not be empty"},
      {with(R"("translation": [{}, {"entries": 0}])"), "translation[1].entries must be at least 1, not 0"},
      {with(R"("host_memory": {"latency_ns": 0})"), "host_memory.latency_ns must be more than 0, not 0"},
      {with(R"("host_memory": {"zero_copy": "svm-fine"})"),
       R"(host_memory.zero_copy must be an array of texts, not "svm-fine")"},
      {with(R"("host_memory": {"zero_copy": ["svm-fine", 2]})"),
       "host_memory.zero_copy must be an array of texts, and one of them is 2"},
      {with(R"("host_memory": {"zero_copy": ["svm"]})"),
       R"(host_memory.zero_copy must name kinds of memory, and "svm" is none)"},
      {with(R"("host_memory": {"zero_copy": ["host-visible+"]})"),
       R"(host_memory.zero_copy must name kinds of memory, and "host-visible+" is none)"},
      {with(R"("copy": {"to_device_gbps": 0})"), "copy.to_device_gbps must be more than 0, not 0"},
      {with(R"("copy": {"to_host_gbps": -3})"), "copy.to_host_gbps must be more than 0, not -3"},
      {with(R"("copy": {"latency_us": -1})"), "copy.latency_us must be at least 0, not -1"},
      {with(R"("copy": {"engines": 0})"), "copy.engines must be at least 1, not 0"},
      {with(R"("cpu": {"idle_latency_ns": 0})"), "cpu.idle_latency_ns must be more than 0, not 0"},
      {with(R"("cpu": {"loaded_latency_ns": 0})"), "cpu.loaded_latency_ns must be more than 0, not 0"},
      {with(R"("cpu": {"contention_knee_gbps": -1})"), "cpu.contention_knee_gbps must be at least 0, not -1"},
      {with_level(R"("bytes": 4096, "wayz": 8)"), "levels[0].wayz is not a field that is known here"},
      {with_level(R"("bytes": 4096, "name": 8)"), "levels[0].name must be a text, not 8"},
      {with_level(R"("bytes": 0)"), "levels[0].bytes must be at least 64, not 0"},
      {with_level(R"("bytes": -4096)"), "levels[0].bytes must be at least 64, not -4096"},
      {with_level(R"("bytes": 1099511627776)"), "levels[0].bytes must be at most memory_bytes, which is 17179869184"},
      {with_level(R"("bytes": 4096, "line": 0)"), "levels[0].line must be at least 1, not 0"},
      {with_level(R"("bytes": 4096, "line": 96)"), "levels[0].line must be a power of two, not 96"},
      {with_level(R"("bytes": 4096, "ways": 0)"), "levels[0].ways must be at least 1, not 0"},
      {with_level(R"("bytes": 4096, "policy": "fifo")"), R"(levels[0].policy must be lru, plru or random, not "fifo")"},
      {with_level(R"("bytes": 4096, "hashed": "yes")"), R"(levels[0].hashed must be true or false, not "yes")"},
      {with_level(R"("bytes": 4096, "per": "sm")"), R"(levels[0].per must be compute_unit or device, not "sm")"},
      {with_level(R"("bytes": 4096, "per": "compute_unit", "memory_side": true)"),
       "levels[0].per must be device, as a memory-side level is shared"},
      {with_level(R"("bytes": 4096, "read_gbps": 0)"), "levels[0].read_gbps must be more than 0, not 0"},
      {with_level(R"("bytes": 4096, "write_gbps": -1)"), "levels[0].write_gbps must be more than 0, not -1"},
      {R"({"name": "x", "levels": [{"latency_ns": 0}]})", "levels[0].latency_ns must be more than 0, not 0"},
      {R"({"name": "x", "levels": [{"latency_ns": -5}]})", "levels[0].latency_ns must be more than 0, not -5"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(complaint(text), "x.json: " + expected) << text;
}

TEST(ModelFile, BrokenJsonNamesItsLine) {
  EXPECT_EQ(complaint(""), "x.json: line 1 is not valid JSON");
  EXPECT_EQ(complaint("{\n\"name\": \"x\",\n\"levels\": [}\n"), "x.json: line 3 is not valid JSON");
  EXPECT_EQ(complaint("{\n\"name\": \"x\",\n\n\"clock_mhz\": NaN}"), "x.json: line 4 is not valid JSON");
  EXPECT_EQ(complaint("{\n\"clock_mhz\": 1e999}\n\n"), "x.json: line 2 is not valid JSON");
  EXPECT_EQ(complaint("{\n\"name\": \"\xff\"}"), "x.json: line 2 is not valid JSON");
  EXPECT_EQ(complaint("{\"name\": \"x\"\n"), "x.json: line 2 is not valid JSON");
}

TEST(ModelFile, ReadsAFileAndNamesItInErrors) {
  const auto path = std::filesystem::temp_directory_path() / "sonde_model_file_test.json";
  std::ofstream(path) << example;
  EXPECT_EQ(parse_model(read_json_text(path, "model")).name, "example");
  std::filesystem::remove(path);
  EXPECT_THROW((void)read_json_text(path, "model"), InvalidFile);
  EXPECT_THROW((void)read_json_text(std::filesystem::temp_directory_path(), "model"), InvalidFile);
}

TEST(ModelFile, BuiltInDevicesAreValid) {
  std::set<std::string> names;
  for (const BuiltInModel& built_in : built_in_models) names.emplace(built_in.name);
  EXPECT_EQ(names, (std::set<std::string>{"h200", "rtx-4090", "rx-7900-xtx", "strix-halo"}));
  for (const std::string& name : names) {
    const Description model = parse_model(built_in_model_text(name));
    for (std::size_t level = 1; level < model.levels.size(); ++level) {
      EXPECT_GT(model.levels[level].latency_ns, model.levels[level - 1].latency_ns) << name;
    }
    for (const auto& level : model.levels) EXPECT_GT(level.read_gbps, 0) << name << " " << level.name;
  }
  EXPECT_TRUE(parse_model(built_in_model_text("strix-halo")).unified_memory);
}

TEST(ModelFile, AnUnknownBuiltInListsTheKnown) {
  try {
    (void)built_in_model_text("voodoo");
    FAIL();
  } catch (const InvalidFile& error) {
    EXPECT_EQ(std::string(error.what()),
              "model:voodoo is not built in; these are: h200, rtx-4090, rx-7900-xtx, strix-halo");
  }
}

}  // namespace
}  // namespace sonde::records
