#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/point_runner.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// A point that is measured again and again: how far it moves is how far the machine drifts. A failure is told by
/// whoever measures the points, who knows whether they fail too.
class DriftReference {
 public:
  /// The shortest of these, unless one was chosen before; last one that takes no time, as it is asked for to say why it
  /// cannot be had.
  void choose(const std::vector<Point>& points);

  /// Relative change since the first time; measured every so many calls. A reference that fails is given up: the
  /// point that happens to come next is not to blame.
  std::optional<double> drift(PointRunner& runner);

  [[nodiscard]] const Point& point() const { return *point_; }
  /// Why nothing is known of it any more; without a reason where nobody has to know, or was told.
  struct End {
    std::string reason;
    bool is_error = false;
  };
  [[nodiscard]] const End& end() const { return end_; }
  void forget_end() { end_ = {}; }

 private:
  void give_up(const End& end);

  std::optional<Point> point_;
  std::optional<double> first_;
  std::optional<double> drift_ = 0.0;
  End end_;
  bool failed_ = false;
  int calls_ = 0;
};

}  // namespace sonde::measure
