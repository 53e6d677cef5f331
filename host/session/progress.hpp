#pragma once

#include <functional>
#include <set>

#include "records/lines.hpp"

namespace sonde::session {

/// The place that a run has come to.
struct Position {
  double seconds_left = 0;
  std::string device = {};
  std::string api = {};
  std::string probe = {};
  std::string point = {};
  std::string sharpens = {};  ///< "the size of level 2"; empty at a first look
};

/// What a run shows while it measures. On a terminal: what is known so far, drawn again and again, above a line that
/// says how long it will go on and what is measured now. Elsewhere a line for each probe that begins.
class Progress {
 public:
  /// The text of a screen with what is known from these lines.
  using Screen = std::function<std::string(const std::vector<records::Line>& lines)>;

  Progress(bool drawn, Screen screen) : drawn_(drawn), screen_(std::move(screen)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(const Position& position);
  /// Whether the screen that is shown is old enough to be drawn again.
  [[nodiscard]] bool wants_a_screen() const;
  void show(const std::vector<records::Line>& lines);
  /// Draws the last line again, not more often than anyone can read it.
  void draw();
  /// Removes everything, so that something else can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool drawn_;
  Screen screen_;
  Position position_;
  std::set<std::tuple<std::string, std::string, std::string>> announced_;
  int lines_drawn_ = 0;  ///< above the last line
  Clock::time_point last_drawn_{};
  Clock::time_point last_screen_ = Clock::now();
};

}  // namespace sonde::session
