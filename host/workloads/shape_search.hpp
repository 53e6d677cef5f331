#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "device/device.hpp"

// The search for the shape in which a kernel is fastest on this device: from usual shapes to their neighbours. Nothing
// is proved, as whoever measures in the shape proves that; no clock but the device's own is asked.
namespace sonde::workloads {

/// The work of a kernel in one shape.
struct ShapeTrial {
  std::function<double(std::uint32_t trips)> run;  ///< returns the device's nanoseconds
  double work_per_trip = 0;                        ///< what speeds count: bytes, or numbers
  std::uint32_t most_trips = 1;                    ///< of one dispatch
  std::uint32_t lap_trips = 0;  ///< trips through the whole working set; 0 where no cache holds any of it
};

/// The shapes that a search may try, and the rules by which it chooses.
template <typename Shape>
struct ShapeSpace {
  std::function<std::unique_ptr<device::Kernel>(const Shape& shape)> make_kernel;
  std::function<ShapeTrial(const Shape& shape, device::Kernel& kernel)> prepare;
  std::function<std::vector<Shape>(const Shape& shape)> neighbours;  ///< the shapes that differ in one number
  /// The shape that is measured in place of one.
  std::function<Shape(const Shape& shape)> fitted = [](const Shape& shape) { return shape; };
  std::function<void()> alive = [] {};  ///< called after each shape: drivers of CPUs take seconds to compile one
  double dispatch_ns = 2e6;             ///< wanted length of a timed dispatch
  /// A shape has to be so much faster to be taken: smaller differences are noise, and the first are the usual ones.
  double clearly_faster = 1.03;
  /// A shape below this share of the fastest is slow at any moment, and is not timed once more.
  double set_back = 0.1;
  std::size_t most_shapes = ~std::size_t{0};
};

template <typename Shape>
class ShapeSearch {
 public:
  /// A search times so many shapes once more at its end, as one may have been timed while others used the machine.
  static constexpr std::size_t finalists = 3;

  explicit ShapeSearch(ShapeSpace<Shape> space) : space_(std::move(space)) {}

  /// Times a shape, and takes it for the best where it is clearly faster. Returns whether it is.
  bool consider(const Shape& shape) {
    considered_.push_back(shape);
    const double speed = speed_of(shape);
    space_.alive();
    if (speed <= space_.clearly_faster * speed_) return false;
    best_ = shape;
    speed_ = speed;
    return true;
  }

  /// Times the shapes with which the search begins. Throws device::Error, or else device::Unsupported, with the first
  /// reason where none of them runs.
  void begin(const std::vector<Shape>& usual) {
    for (const Shape& shape : usual) consider(shape);
    if (speed_ > 0) return;
    if (failure_) throw device::Error(*failure_);
    throw device::Unsupported(unsupported_.value_or("no shape of the kernel runs on this device"));
  }

  /// Goes from the best shape to its neighbours until none of them is faster, at most so many times.
  void climb(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      bool faster = false;
      for (const Shape& shape : space_.neighbours(best_)) faster = consider(shape) || faster;
      if (!faster) break;
    }
  }

  /// Times the `count` fastest at another moment; the better of both speeds counts, as others only slow.
  void time_fastest_again(std::size_t count) {
    std::vector<Tried*> fastest;
    for (Tried& one : tried_) fastest.push_back(&one);
    std::ranges::stable_sort(fastest, std::ranges::greater(), &Tried::speed);
    const double best = fastest.front()->speed;
    for (Tried* one : std::span(fastest).first(std::min(fastest.size(), count))) {
      if (one->speed > space_.set_back * best) one->speed = std::max(one->speed, timed(*one, 0));
    }
  }

  /// Chooses anew by the speeds as they are now, in the order in which shapes were considered.
  void choose_again() {
    speed_ = 0;
    for (const Shape& shape : std::exchange(considered_, {})) consider(shape);
  }
  /// Chooses between the best shape and the fastest by the speeds as they are now.
  void choose_best_or_fastest() {
    const Shape best = best_;
    speed_ = 0;
    consider(best);
    consider(std::ranges::max_element(tried_, {}, &Tried::speed)->shape);
  }

  [[nodiscard]] const Shape& best() const { return best_; }

 private:
  struct Tried {
    Shape shape;
    std::unique_ptr<device::Kernel> kernel = nullptr;
    double speed = 0;
  };

  /// Work a nanosecond; 0 for a shape that the device refuses.
  double speed_of(const Shape& wanted) {
    const Shape shape = space_.fitted(wanted);
    const auto known = std::ranges::find(tried_, shape, &Tried::shape);
    if (known != tried_.end()) return known->speed;
    if (tried_.size() == space_.most_shapes) return 0;
    Tried& one = tried_.emplace_back(Tried{.shape = shape});
    try {
      one.kernel = space_.make_kernel(shape);
      one.speed = timed(one, speed_);
    } catch (const device::Lost&) {
      throw;
    } catch (const device::Error& error) {
      // A driver may lack the registers or the memory for one shape and run all others.
      if (!failure_) failure_ = error.what();
    } catch (const device::Unsupported& reason) {
      if (!unsupported_) unsupported_ = reason.what();
    }
    return one.speed;
  }

  /// The speed of a shape; one far behind `best` is not measured any closer.
  double timed(const Tried& tried, double best) {
    constexpr double longest_ns = 60e6;  // of a trial, however slow its shape is on this device
    constexpr double far_behind = 0.4;   // caches that are not filled yet do not make a shape slower than this
    const ShapeTrial trial = space_.prepare(tried.shape, *tried.kernel);
    (void)trial.run(1);  // compiles
    double launch_ns = trial.run(1);
    std::uint32_t trips = 8;
    double ns = trial.run(trips);
    while (ns - launch_ns < space_.dispatch_ns && trips < trial.most_trips) {
      const double wanted = trips * space_.dispatch_ns / std::max(ns - launch_ns, space_.dispatch_ns / 16);
      trips = static_cast<std::uint32_t>(
          std::clamp<double>(wanted * 1.2, trips + 1.0, std::min(16.0 * trips, trial.most_trips * 1.0)));
      ns = trial.run(trips);
    }
    const auto speed = [&] { return trial.work_per_trip * (trips - 1) / std::max(ns - launch_ns, 1.0); };
    const bool cached = trial.lap_trips > 0;
    if (speed() < far_behind * best || (!cached && ns > longest_ns)) return speed();
    if (cached) {
      // After a lap caches hold what they can.
      const double lap_ns = ns / trips * trial.lap_trips;
      if (lap_ns > ns) {
        (void)trial.run(static_cast<std::uint32_t>(
            std::min<double>({trial.lap_trips * 1.0, trial.most_trips * 1.0, longest_ns / ns * trips})));
      }
      ns = trial.run(trips);
    }
    // The fastest of three, as others only slow; a launch that they slowed would make the shape faster than it is.
    for (int again = cached ? 1 : 0; again < 3; ++again) {
      ns = std::min(ns, trial.run(trips));
      if (!cached || again == 2) launch_ns = std::min(launch_ns, trial.run(1));
    }
    return speed();
  }

  ShapeSpace<Shape> space_;
  std::vector<Tried> tried_;
  std::vector<Shape> considered_;
  Shape best_;
  double speed_ = 0;
  std::optional<std::string> failure_;
  std::optional<std::string> unsupported_;
};

}  // namespace sonde::workloads
