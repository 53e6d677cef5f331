#pragma once

#include "measure/other_runs.hpp"

// The words that every probe is written in.
namespace sonde::probes {

namespace axes = measure::axes;
namespace units = measure::units;

using measure::ArithmeticType;
using measure::Beside;
using measure::Better;
using measure::BytesCounted;
using measure::Chain;
using measure::Comparison;
using measure::Conclusion;
using measure::Coordinates;
using measure::Counted;
using measure::Curve;
using measure::Direction;
using measure::Engine;
using measure::Exchange;
using measure::ExtraValues;
using measure::Finding;
using measure::FindingKind;
using measure::FoundLevel;
using measure::Frame;
using measure::FramePass;
using measure::FrameRead;
using measure::HostMemory;
using measure::Limits;
using measure::LineState;
using measure::Look;
using measure::Measurement;
using measure::MemoryState;
using measure::Method;
using measure::Order;
using measure::PageSize;
using measure::Path;
using measure::Pattern;
using measure::Pinning;
using measure::Placement;
using measure::Point;
using measure::Probe;
using measure::QueueRole;
using measure::Repetitions;
using measure::Request;
using measure::SelfTimedWork;
using measure::Shape;
using measure::Sharing;
using measure::Side;
using measure::SteppedWork;
using measure::Stores;
using measure::Surface;
using measure::Table;
using measure::Target;
using measure::Unit;
using measure::Words;
using measure::Workload;
using measure::Writer;

using measure::by_look;
using measure::estimate;
using measure::finding_of;
using measure::median_of;
using measure::point_on;
using measure::set_value;
using measure::six_digits;
using measure::size_text;

/// The function that makes a curve's work.
using Prepare = decltype(Curve::prepare);

}  // namespace sonde::probes
