// The first screen of whole runs is compared with files in tests/data/first_screen: where one has to change,
// SONDE_WRITE_SUMMARIES=1 sonde_unit_tests --gtest_filter='*FirstScreens*' writes them anew, and the diff is read.

#include "summary/first_screen.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "commands/commands.hpp"
#include "records/lines.hpp"
#include "summary/layout.hpp"
#include "support/golden.hpp"
#include "support/seen_devices.hpp"

namespace sonde::summary {
namespace {

using records::Line;

std::string screen_path(const std::string& name) { return std::string(TEST_DATA) + "/first_screen/" + name; }

std::string screen_of(const std::string& name, int columns) {
  std::string note;
  const std::vector<Line> lines = records::read_file(screen_path(name + ".jsonl"), note);
  EXPECT_EQ(note, "");
  return first_screen(lines, {.columns = columns, .file = "results/" + name + ".jsonl"});
}

class FirstScreens : public testing::TestWithParam<const char*> {};

TEST_P(FirstScreens, AreThoseOfTheFiles) {
  const std::string text = screen_of(GetParam(), 100);
  test::expect_text_of_file(text, screen_path(std::string(GetParam()) + ".txt"));
}

TEST_P(FirstScreens, FitTheTerminal) {
  for (const int columns : {50, 80, 100}) {
    const std::string text = screen_of(GetParam(), columns);
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_LE(width_of(line), static_cast<std::size_t>(columns)) << line;
    EXPECT_TRUE(columns < 100 || count <= 40) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(OfRuns, FirstScreens,
                         testing::Values("cpu", "h100", "h200", "rtx-4090", "rx-7900-xtx", "strix-halo"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

Line level_line(const std::string& api, int number, std::optional<analysis::Bracket> bytes, analysis::Bracket ns) {
  records::LevelLine line{.origin = {"cpu", api, "latency"}, .level = {.level = number}};
  line.level.found.bytes = bytes;
  line.level.found.latency_ns = ns;
  line.level.name = bytes ? "level " + std::to_string(number) : "memory";
  return line;
}

constexpr double kib = 1024;

TEST(FirstScreen, AnIntervalIsShownOutsideItsTargetOnly) {
  EXPECT_EQ(cell_with_interval({97, 100, 103}, measure::Quantity::rate), "100");
  EXPECT_EQ(cell_with_interval({90, 100, 110}, measure::Quantity::rate), "100 ± 10");
  EXPECT_EQ(cell_with_interval({24, 60, 150}, measure::Quantity::rate), "24.0–150") << "wider than itself";
  EXPECT_EQ(size_interval({31 * kib, 32 * kib, 32.5 * kib}), "");
  EXPECT_EQ(size_interval({720 * kib, 855 * kib, 1210 * kib}), "(720–1,210)");
}

TEST(FirstScreen, TargetsTellGoodFromFairAndRough) {
  using measure::how_sure;
  using measure::Quantity;
  using measure::Sureness;
  EXPECT_EQ(how_sure({97, 100, 103}, Quantity::size), Sureness::good);
  EXPECT_EQ(how_sure({92, 100, 108}, Quantity::size), Sureness::fair);
  EXPECT_EQ(how_sure({80, 100, 120}, Quantity::size), Sureness::rough);
  EXPECT_EQ(how_sure({97, 100, 103}, Quantity::rate), Sureness::good);
  EXPECT_EQ(how_sure({94.5, 100, 105.5}, Quantity::rate), Sureness::fair);
  EXPECT_EQ(how_sure({90, 100, 110}, Quantity::rate), Sureness::rough);
  EXPECT_EQ(how_sure({0, 0, 0}, Quantity::rate), Sureness::rough);
}

TEST(FirstScreen, AReasonTellsWhatWouldHelp) {
  EXPECT_EQ(kind_of_reason("the driver has no cl_khr_fp16"), Missing::cannot);
  EXPECT_EQ(kind_of_reason("the times vary so much; measure on an idle machine"), Missing::needs_time);
  EXPECT_EQ(kind_of_reason("a machine with several sockets has a matrix here"), Missing::needs_hardware);
  EXPECT_EQ(kind_of_reason("of the 2 cores that this process may use none is left"), Missing::needs_hardware);
}

TEST(FirstScreen, ADeviceAloneIsNothingMeasured) {
  const std::string text = first_screen(std::vector<Line>{test::cpu_device()}, {.file = "x.jsonl"});
  EXPECT_TRUE(says(text, "Some CPU"));
  EXPECT_TRUE(says(text, "Nothing was measured."));
  EXPECT_TRUE(says(text, "unfinished"));
  EXPECT_EQ(first_screen({}, {}), "");
}

TEST(FirstScreen, ALevelOfOneApiOnlySaysSo) {
  const std::vector<Line> lines{
      test::cpu_device(), level_line("opencl", 1, analysis::Bracket{32 * kib, 32 * kib, 32 * kib}, {1, 1, 1}),
      level_line("opencl", 2, std::nullopt, {100, 100, 100}), level_line("vulkan", 1, std::nullopt, {101, 101, 101})};
  const std::string text = first_screen(lines, {});
  EXPECT_TRUE(says(text, "good; OpenCL only"));
  EXPECT_TRUE(says(text, "100     101  good\n"));
}

TEST(FirstScreen, MemoryIsOneRowWhereOneApiSawTooLittleToBeSureAndReadTheSame) {
  const auto screen_of = [](const analysis::Bracket& by_vulkan) {
    records::LevelLine beyond = std::get<records::LevelLine>(level_line("opencl", 2, std::nullopt, {90, 100, 110}));
    beyond.level.name = "beyond";
    return first_screen(
        std::vector<Line>{test::cpu_device(),
                          level_line("opencl", 1, analysis::Bracket{32 * kib, 32 * kib, 32 * kib}, {1, 1, 1}), beyond,
                          level_line("vulkan", 1, analysis::Bracket{32 * kib, 32 * kib, 32 * kib}, {1, 1, 1}),
                          level_line("vulkan", 2, std::nullopt, by_vulkan)},
        {});
  };
  const std::string alike = screen_of({95, 105, 115});
  EXPECT_TRUE(says(alike, "\nmemory "));
  EXPECT_FALSE(says(alike, "\nbeyond "));
  const std::string apart = screen_of({295, 300, 305});
  EXPECT_TRUE(says(apart, "\nmemory "));
  EXPECT_TRUE(says(apart, "\nbeyond "));
}

TEST(FirstScreen, SizesBeyondTheirIntervalsAreNotMerged) {
  const std::vector<Line> lines{test::cpu_device(),
                                level_line("opencl", 1, analysis::Bracket{32 * kib, 32 * kib, 33 * kib}, {1, 1, 1}),
                                level_line("vulkan", 1, analysis::Bracket{47 * kib, 48 * kib, 49 * kib}, {1, 1, 1})};
  const std::string text = first_screen(lines, {});
  EXPECT_TRUE(says(text, "sizes differ"));
  EXPECT_TRUE(says(text, "L1 is 32 KiB by OpenCL and 48 KiB by Vulkan"));
}

TEST(FirstScreen, WhileItRunsItSaysWhatIsNotKnownYet) {
  const std::string text =
      first_screen(std::vector<Line>{test::cpu_device()}, {.awaited = std::vector<std::string>{"latency", "copy"}});
  EXPECT_TRUE(says(text, "levels          …\n"));
  EXPECT_TRUE(says(text, "Copies          …\n"));
  EXPECT_FALSE(says(text, "Compute"));
}

TEST(FirstScreen, ItsPartsSayWhatItSays) {
  const std::vector<Line> lines{test::cpu_device(),
                                level_line("opencl", 1, analysis::Bracket{32 * kib, 32 * kib, 33 * kib}, {1, 1, 1}),
                                level_line("vulkan", 1, analysis::Bracket{47 * kib, 48 * kib, 49 * kib}, {1, 2, 4})};
  const std::vector<records::Screen> parts = screens(lines, "a.jsonl");
  ASSERT_EQ(parts.size(), 1u);
  const records::Screen& screen = parts.front();
  EXPECT_EQ(screen.file + " " + screen.device, "a.jsonl " + test::cpu_device().id);
  const std::string text = first_screen(lines, {.columns = 200});
  EXPECT_TRUE(says(text, screen.heading + "\n"));
  ASSERT_EQ(screen.levels.size(), 1u);
  ASSERT_EQ(screen.levels[0].cells.size(), 2u);
  EXPECT_EQ(screen.levels[0].cells[1].api, "vulkan");
  for (const std::string& part : {screen.levels[0].name, screen.levels[0].size, screen.levels[0].sure,
                                  screen.levels[0].cells[0].latency_ns, screen.levels[0].cells[1].latency_ns})
    EXPECT_TRUE(!part.empty() && says(text, part));
  ASSERT_FALSE(screen.topics.empty());
  EXPECT_TRUE(screen.topics[0].name == "Disagree" && screen.topics[0].marked);
  EXPECT_TRUE(says(text, screen.topics[0].parts[0]));
  const std::string json = records::screen_json(screen);
  EXPECT_TRUE(says(json, R"({"record":"screen","file":"a.jsonl")"));
  EXPECT_TRUE(says(json, R"({"api":"opencl","latency_ns":"1.00"})"));
}

TEST(FirstScreen, OnlyWhatMustNotBeMissedIsInColour) {
  const std::vector<Line> lines{test::cpu_device(), level_line("opencl", 1, std::nullopt, {50, 100, 150})};
  EXPECT_FALSE(says(first_screen(lines, {}), "\x1b["));
  EXPECT_TRUE(says(first_screen(lines, {.colour = true}), "\x1b[33mrough: "));
}

TEST(Show, RefusesWhatItCannotShow) {
  EXPECT_THROW(commands::show_command({.files = {screen_path("cpu.jsonl")}, .verbose = true, .as_json = true}),
               session::UsageError);
  EXPECT_THROW(commands::show_command({.files = {screen_path("there-is-none.jsonl")}}), session::UsageError);
  EXPECT_THROW(commands::show_command({.files = {screen_path("cpu.txt")}}), session::UsageError);
  EXPECT_THROW(commands::show_command({.files = {screen_path("cpu.jsonl")}, .probes = {"cooking"}}),
               session::UsageError);
}

TEST(Show, ShowsTheScreenOrTheTablesOfProbes) {
  testing::internal::CaptureStdout();
  commands::show_command({.files = {screen_path("strix-halo.jsonl")}});
  EXPECT_TRUE(says(testing::internal::GetCapturedStdout(), "Strix Halo (Radeon 8060S), simulated"));
  testing::internal::CaptureStdout();
  commands::show_command({.files = {screen_path("strix-halo.jsonl")}, .probes = {"copy"}});
  const std::string tables = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(says(tables, "opy"));
  EXPECT_FALSE(says(tables, "ontention"));
}

}  // namespace
}  // namespace sonde::summary
