#pragma once

#include "measure/probe.hpp"

// The words that every probe is written in.
namespace sonde::probes {

using measure::Conclusion;
using measure::Coordinates;
using measure::Curve;
using measure::Effort;
using measure::ExtraValues;
using measure::Finding;
using measure::FindingKind;
using measure::FoundLevel;
using measure::Limits;
using measure::Measurement;
using measure::Point;
using measure::Probe;
using measure::Repetitions;
using measure::Request;
using measure::SelfTimedWork;
using measure::SteppedWork;
using measure::Target;
using measure::Words;
using measure::Workload;

using measure::point_on;
using measure::six_digits;
using measure::size_text;

}  // namespace sonde::probes
