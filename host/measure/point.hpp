#pragma once

#include <compare>
#include <map>
#include <string>

#include "measure/curve.hpp"

namespace sonde::measure {

/// How a kernel is launched, or work is done, in numbers by their names: what a search found, and a record keeps.
using Shape = std::map<std::string, double>;

/// One thing to measure: a place on a curve.
struct Point {
  const Curve* curve = nullptr;  ///< null only where a record of another version names a curve that this one lacks
  Words words = {};              ///< the curve's, with those that it varies
  Coordinates x = {};
  double expected_seconds = 0;  ///< for the progress bar; only its ratio to the other points' matters
  int replicates = 1;           ///< new allocations, each with a new shuffle, over which the repetitions are spread
  int visits = 1;               ///< times at which it is measured, each after all other points that are wanted with it
  Shape shape = {};             ///< of an earlier point, from `State::shape`. Empty: prepare() finds the best.
};

/// A point of `curve` at `x`; `varied` has the words that the curve leaves open.
inline Point point_on(const Curve& curve, const Coordinates& x, const Words& varied = {}) {
  return {.curve = &curve, .words = with(curve.words, varied), .x = x};
}

/// What a point is. Two points with equal keys are one point.
struct PointKey {
  Words words;
  Coordinates x;
  Shape shape;

  friend auto operator<=>(const PointKey&, const PointKey&) = default;
};

inline PointKey key_of(const Point& point) { return {point.words, point.x, point.shape}; }

}  // namespace sonde::measure
