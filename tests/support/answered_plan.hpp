#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "measure/visits.hpp"

namespace sonde::test {

/// What a probe asks of a device whose answers are known, as a run asks it: new points only, whatever failed before.
class AnsweredPlan {
 public:
  using Next =
      std::function<std::vector<measure::Point>(const measure::Request&, std::span<const measure::Measurement>)>;
  /// The value at a point; nothing where it fails.
  using Answer = std::function<std::optional<double>(const measure::Point&)>;

  AnsweredPlan(measure::Request request, Next next, Answer answer)
      : request_(std::move(request)), next_(std::move(next)), answer_(std::move(answer)) {
    request_.was_asked = [this](const measure::Point& point) { return asked_.contains(measure::key_of(point)); };
  }
  AnsweredPlan(const AnsweredPlan&) = delete;
  AnsweredPlan& operator=(const AnsweredPlan&) = delete;

  /// Measures all that the plan wants at a look, so many points before it is asked again; how many these were.
  std::size_t go_through(measure::Look look, std::size_t at_once = 1000) {
    request_.look = look;
    const std::size_t before = asked_.size();
    for (int round = 0; round < 1000; ++round) {
      const std::vector<measure::Point> points = next_(request_, known_);
      if (points.empty()) return asked_.size() - before;
      for (std::size_t i = 0; i < std::min(at_once, points.size()); ++i) measure(points[i]);
    }
    ADD_FAILURE() << "it asks for ever";
    return 0;
  }

  [[nodiscard]] const std::vector<measure::Measurement>& known() const { return known_; }
  [[nodiscard]] const std::set<measure::PointKey>& asked() const { return asked_; }

 private:
  void measure(const measure::Point& point) {
    EXPECT_TRUE(asked_.insert(measure::key_of(point)).second) << "asked for again: " << *point.x.bytes;
    if (const auto value = answer_(point))
      known_.push_back({point, std::string(point.curve->unit.name), std::vector<double>(7, *value), {}});
  }

  measure::Request request_;
  Next next_;
  Answer answer_;
  std::vector<measure::Measurement> known_;
  std::set<measure::PointKey> asked_;
};

}  // namespace sonde::test
