// Walks over tables of pages that are simulated entry by entry: page size, entries and cost have to come back.

#include "analysis/levels/translation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

struct Table {
  double page_bytes;
  std::size_t entries;
  double added_ns;
};

/// Share of the loads of a lap, after two others, whose page is not among the `entries` that were used last.
double missed(const std::vector<std::size_t>& order, double stride_bytes, const Table& table) {
  std::list<std::size_t> used;
  std::unordered_map<std::size_t, std::list<std::size_t>::iterator> held;
  double misses = 0;
  for (int lap = 0; lap < 3; ++lap) {
    misses = 0;
    for (const std::size_t line : order) {
      const auto page = static_cast<std::size_t>(static_cast<double>(line) * stride_bytes / table.page_bytes);
      if (const auto found = held.find(page); found != held.end()) {
        used.erase(found->second);
      } else {
        ++misses;
        if (used.size() == table.entries) {
          held.erase(used.back());
          used.pop_back();
        }
      }
      used.push_front(page);
      held[page] = used.begin();
    }
  }
  return misses / static_cast<double>(order.size());
}

/// A device with caches of 32 KiB and 1 MiB before those tables, of which every value errs by 1 %.
class Device {
 public:
  explicit Device(std::vector<Table> tables, std::uint64_t seed = 1) : tables_(std::move(tables)), random_(seed) {}

  void walk(double stride_bytes, double lines) {
    std::vector<std::size_t> order(static_cast<std::size_t>(lines));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    double ns = lines <= 512 ? 30 : lines <= 16384 ? 90 : 300;
    for (const Table& table : tables_) ns += table.added_ns * missed(order, stride_bytes, table);
    StridePoint point{.stride_bytes = stride_bytes, .lines = lines, .values = {}};
    std::normal_distribution<double> noise(1, 0.01);
    for (int i = 0; i < 9; ++i) point.values.push_back(ns * noise(random_));
    points.push_back(point);
  }
  /// Walks over 8 to 2048 lines close together and far apart.
  void walk_all_numbers() {
    for (double lines = 8; lines < 2049; lines *= std::sqrt(std::sqrt(2))) {
      for (const double stride_bytes : {1 * kib, 2 * mib}) walk(stride_bytes, std::round(lines));
    }
  }
  /// Walks over so many lines at the strides between and beyond.
  void walk_all_strides(double lines, double least_bytes = 2 * kib, double most_bytes = 8 * mib) {
    for (double stride = least_bytes; stride <= most_bytes; stride *= 2) walk(stride, lines);
  }

  std::vector<StridePoint> points;

 private:
  std::vector<Table> tables_;
  std::mt19937_64 random_;
};

void expect_table(const PageTable& found, const Table& truth) {
  EXPECT_EQ(found.page_bytes, truth.page_bytes);
  EXPECT_NEAR(found.entries.value / static_cast<double>(truth.entries), 1, 0.1);
  EXPECT_LE(found.entries.low, static_cast<double>(truth.entries));
  EXPECT_GE(found.entries.high, static_cast<double>(truth.entries));
  EXPECT_NEAR(found.added_ns.value, truth.added_ns, std::max(0.5, 0.05 * truth.added_ns));
}

TEST(PageTables, OfEveryPageSizeAreFound) {
  for (const double page_bytes : {4 * kib, 16 * kib, 64 * kib, 256 * kib, 2 * mib}) {
    const Table truth{page_bytes, 96, 12};
    Device device({truth});
    device.walk_all_numbers();
    device.walk_all_strides(128 * 1.189, 2 * kib, 1 * mib);
    const std::vector<PageTable> found = page_tables(device.points);
    ASSERT_EQ(found.size(), 1u) << page_bytes;
    expect_table(found[0], truth);
    EXPECT_NEAR(found[0].reach_bytes() / (96 * page_bytes), 1, 0.1);
  }
}

TEST(PageTables, OfPagesBeyondTheLargeStrideShowByFewerLinesFurtherApart) {
  Device device({{4 * mib, 64, 20}});
  device.walk_all_numbers();  // 128 lines of 2 MiB fill it
  device.walk_all_strides(91, 4 * mib, 8 * mib);
  const std::vector<PageTable> found = page_tables(device.points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].page_bytes, 4 * mib);
}

TEST(PageTables, TwoOfDifferentPagesAreTwo) {
  const Table first{64 * kib, 48, 8};
  const Table second{2 * mib, 512, 35};
  Device device({first, second});
  device.walk_all_numbers();
  device.walk_all_strides(76, 2 * kib, 1 * mib);
  device.walk_all_strides(724, 2 * kib, 1 * mib);
  const std::vector<PageTable> found = page_tables(device.points);
  ASSERT_EQ(found.size(), 2u);
  expect_table(found[0], first);
  expect_table(found[1], second);
}

// These walks cannot tell more, and the interval of the page has to show it.
TEST(PageTables, WithoutStridesBetweenThePageIsAnyOfThem) {
  Device device({{64 * kib, 96, 12}});
  device.walk_all_numbers();
  const std::vector<PageTable> found = page_tables(device.points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(found[0].least_page_bytes, 64 * kib);
  EXPECT_GT(found[0].most_page_bytes, 64 * kib);
}

TEST(PageTables, AreNoneWhereOnlyCachesEnd) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Device device({}, seed);
    device.walk_all_numbers();
    device.walk_all_strides(600);
    EXPECT_TRUE(page_tables(device.points).empty()) << seed;
  }
  EXPECT_TRUE(page_tables({}).empty());
}

TEST(PageTables, AsAnEdgeCostARandomWalkWhatIsOutOfReach) {
  const PageTable table{.entries = {60, 64, 70},
                        .page_bytes = 64 * kib,
                        .least_page_bytes = 64 * kib,
                        .most_page_bytes = 64 * kib,
                        .added_ns = {11, 12, 13}};
  const TranslationEdge edge = edge_of(table);
  EXPECT_EQ(edge.reach_bytes, 4 * mib);
  ASSERT_EQ(edge.log2_spans.size(), 2u);
  EXPECT_NEAR(edge.log2_spans.front(), 22, 0.01);
  EXPECT_EQ(edge.added_ns_at, (std::vector<double>{0, 12}));
}

}  // namespace
}  // namespace sonde::analysis
