// All probes declare their curves and findings: names and keys are valid, and words and unit tell one curve.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "measure/curve.hpp"
#include "probes/catalog.hpp"

namespace sonde::measure {
namespace {

/// Each record name with the curves of all its probes, in the order in which they are looked through.
std::map<std::string, std::vector<const Curve*>> curves_by_name() {
  std::map<std::string, std::vector<const Curve*>> curves;
  for (const Probe* probe : probes::catalog()) {
    std::vector<const Curve*>& all = curves[std::string(probe->name)];
    std::ranges::copy_if(probe->curves, std::back_inserter(all),
                         [&all](const Curve* one) { return std::ranges::find(all, one) == all.end(); });
  }
  return curves;
}

std::map<std::string, std::set<const FindingKind*>> kinds_by_name() {
  std::map<std::string, std::set<const FindingKind*>> kinds;
  for (const Probe* probe : probes::catalog())
    kinds[std::string(probe->name)].insert(probe->finding_kinds.begin(), probe->finding_kinds.end());
  return kinds;
}

template <typename Declared>
std::string where(const std::string& probe, const Declared& declared) {
  return probe + ", " + std::string(declared.name);
}

/// The keys of the words that a curve may have.
std::set<std::string> keys_of(const Curve& curve) {
  std::set<std::string> keys;
  for (const auto& [key, word] : written(curve.words)) keys.insert(key);
  Keys(curve.varies).for_each([&keys](std::string_view key) { keys.emplace(key); });
  return keys;
}

/// Whether all words that `special` may have are words of `general`.
bool is_within(const Curve& special, const Curve& general) {
  return std::ranges::includes(written(special.words), written(general.words)) &&
         std::ranges::includes(keys_of(general), keys_of(special));
}

/// Whether there are words that both may have.
bool overlap(const Curve& one, const Curve& other) {
  std::map<std::string, std::string> both = written(one.words);
  for (const auto& [key, word] : written(other.words)) {
    if (both.try_emplace(key, word).first->second != word) return false;
  }
  const std::set<std::string> keys = keys_of(one);
  const std::set<std::string> other_keys = keys_of(other);
  return std::ranges::all_of(
      both, [&](const auto& entry) { return keys.contains(entry.first) && other_keys.contains(entry.first); });
}

constexpr Curve plain{.name = "plain", .varies = "memory, path", .unit = "ns"};
constexpr Curve random_loads{
    .name = "random", .words = {.order = Order::independent}, .varies = "memory, path", .unit = "ns"};
constexpr Curve rate{.name = "rate", .varies = "memory, path", .unit = "GB/s"};
constexpr Curve any_order{.name = "any-order", .varies = "memory, order", .unit = "ns"};

TEST(FindCurve, HasEveryFixedWordAndNoneThatMayNotVary) {
  constexpr std::array curves{&random_loads, &rate, &plain};
  const Words vector{.memory = "device", .path = Path::vector};
  EXPECT_EQ(find_curve(curves, vector, "ns"), &plain);
  EXPECT_EQ(find_curve(curves, {}, "ns"), &plain) << "what varies may be absent";
  EXPECT_EQ(find_curve(curves, with(vector, {.order = Order::independent}), "ns"), &random_loads);
  EXPECT_EQ(find_curve(curves, with(vector, {.order = Order::page}), "ns"), nullptr);
  EXPECT_EQ(find_curve(curves, with(vector, {.writer = Writer::gpu}), "ns"), nullptr);
  EXPECT_EQ(find_curve(curves, vector, "GB/s"), &rate);
  EXPECT_EQ(find_curve(curves, vector, "cycles"), &plain) << "the same measurement in another unit";
  EXPECT_EQ(find_curve(curves, vector, "ratio"), nullptr);
}

TEST(Declarations, OverlapsAreSeen) {
  EXPECT_FALSE(overlap(plain, random_loads));
  EXPECT_TRUE(overlap(plain, any_order));
  EXPECT_TRUE(overlap(random_loads, any_order));
  EXPECT_FALSE(is_within(random_loads, any_order)) << "it has a path too";
  EXPECT_TRUE(is_within(plain, plain));
}

TEST(Declarations, ACurveHasANameOfItsOwnATitleAndAUnit) {
  for (const auto& [probe, curves] : curves_by_name()) {
    EXPECT_FALSE(curves.empty()) << probe;
    std::set<std::string_view> names;
    for (const Curve* curve : curves) {
      EXPECT_TRUE(names.insert(curve->name).second) << where(probe, *curve);
      EXPECT_FALSE(curve->title.empty()) << where(probe, *curve);
      EXPECT_FALSE(curve->unit.name.empty()) << where(probe, *curve);
    }
  }
}

TEST(Declarations, EveryKeyIsOneThatRecordsHave) {
  const auto is_shown = [](std::string_view key) {
    return is_word_key(key) || is_coordinate_key(key) || key == "title";
  };
  for (const auto& [probe, curves] : curves_by_name()) {
    for (const Curve* curve : curves) {
      Keys(curve->varies).for_each([&](std::string_view key) {
        EXPECT_TRUE(is_word_key(key)) << where(probe, *curve) << ": " << key;
        EXPECT_FALSE(word_at(curve->words, key)) << where(probe, *curve) << " has one " << key;
      });
      EXPECT_TRUE(curve->axis.key.empty() || is_coordinate_key(curve->axis.key)) << where(probe, *curve);
      if (curve->table == nullptr) continue;
      for (const std::string_view keys : {curve->table->rows, curve->table->columns}) {
        Keys(keys).for_each(
            [&](std::string_view key) { EXPECT_TRUE(is_shown(key)) << curve->table->title << ": " << key; });
      }
    }
  }
  for (const auto& [probe, kinds] : kinds_by_name()) {
    for (const FindingKind* kind : kinds) {
      Keys(kind->named_by).for_each([&](std::string_view key) {
        EXPECT_TRUE(is_word_key(key) || is_coordinate_key(key)) << where(probe, *kind) << ": " << key;
      });
    }
  }
}

/// Whether `curve` has words of a key that `other` never has. Whatever is measured of it has one, or it would need
/// none.
bool has_key_beside(const Curve& curve, const Curve& other) {
  return !std::ranges::includes(keys_of(other), keys_of(curve));
}

// The first that matches is taken: of two that match the same the special one stands before the general one, or the
// second has a key that tells it.
TEST(Declarations, WordsAndAUnitTellOneCurve) {
  for (const auto& [probe, curves] : curves_by_name()) {
    for (std::size_t first = 0; first < curves.size(); ++first) {
      const Curve& before = *curves[first];
      for (const Curve* after : std::span(curves).subspan(first + 1)) {
        if (before.unit.name != after->unit.name || !overlap(before, *after)) continue;
        const bool special_first = is_within(before, *after) && !is_within(*after, before);
        EXPECT_TRUE(special_first || has_key_beside(*after, before))
            << probe << ": " << before.name << " and " << after->name << " may have the same words in "
            << after->unit.name;
      }
    }
  }
}

TEST(Declarations, AKindOfFindingHasAWordOfItsOwnAndSaysWhatItMeans) {
  for (const auto& [probe, kinds] : kinds_by_name()) {
    std::set<std::string_view> names;
    for (const FindingKind* kind : kinds) {
      EXPECT_TRUE(names.insert(kind->name).second) << where(probe, *kind);
      EXPECT_FALSE(kind->heading.empty()) << where(probe, *kind);
      EXPECT_FALSE(kind->meaning.empty()) << where(probe, *kind);
      EXPECT_EQ(kind->compared == Comparison::none, kind->feature.empty()) << where(probe, *kind);
    }
  }
}

TEST(Declarations, ProbesAreFoundByTheirIds) {
  std::set<std::string_view> ids;
  for (const Probe* probe : probes::catalog()) {
    EXPECT_TRUE(ids.insert(probe->id).second) << probe->id;
    EXPECT_EQ(probes::find(probe->id), probe);
    EXPECT_FALSE(probe->question.empty()) << probe->id;
  }
}

}  // namespace
}  // namespace sonde::measure
