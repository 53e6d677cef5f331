#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/runner.hpp"

namespace sonde::test {

/// Keeps all that the runner says.
class RecordingObserver : public measure::Observer {
 public:
  struct Reason {
    std::optional<measure::Point> point;  ///< absent: it concerns the whole probe
    std::string text;
  };

  void alive() override { ++signs_of_life; }
  void measured(const measure::Probe&, const measure::Measurement& measurement) override {
    measurements.push_back(measurement);
  }
  void found_levels(const measure::Probe&, const std::vector<measure::FoundLevel>& found) override {
    levels.insert(levels.end(), found.begin(), found.end());
  }
  void found(const measure::Probe&, const measure::Finding& finding) override { findings.push_back(finding); }
  void skipped(const measure::Probe&, const measure::Point* point, const std::string& reason) override {
    skips.push_back(reason_of(point, reason));
  }
  void failed(const measure::Probe&, const measure::Point* point, const std::string& reason) override {
    failures.push_back(reason_of(point, reason));
  }

  std::vector<measure::Measurement> measurements;
  std::vector<measure::FoundLevel> levels;
  std::vector<measure::Finding> findings;
  std::vector<Reason> skips;
  std::vector<Reason> failures;
  int signs_of_life = 0;

 private:
  static Reason reason_of(const measure::Point* point, const std::string& text) {
    return {point != nullptr ? std::optional(*point) : std::nullopt, text};
  }
};

}  // namespace sonde::test
