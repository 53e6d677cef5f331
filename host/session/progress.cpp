#include "session/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "os/this_process.hpp"
#include "records/device_record.hpp"

namespace sonde::session {
namespace {

/// "24 s", "3 min": as a person would say it.
std::string time_text(double seconds) {
  const long whole = std::lround(std::max(seconds, 1.0));
  return whole < 90 ? std::to_string(whole) + " s" : std::to_string((whole + 30) / 60) + " min";
}

constexpr int bar_columns = 24;
constexpr std::chrono::milliseconds between_draws{100};

}  // namespace

void Progress::worker_started(const std::string& label) {
  label_ = records::visible(label);
  point_ = "opening the device";
  expected_of_worker_ = done_of_worker_ = current_point_ = 0;
  if (!drawn_) std::cerr << label_ << "\n";
}

void Progress::point_started(const std::string& name, double expected_seconds) {
  done_of_worker_ += current_point_;
  current_point_ = expected_seconds;
  point_ = name;
}

void Progress::worker_ended(bool another_follows) {
  ++workers_ended_;
  if (another_follows) ++workers_;
  expected_of_ended_ += expected_of_worker_;
  expected_of_worker_ = done_of_worker_ = current_point_ = 0;
}

double Progress::share_done() const {
  const int known_workers = workers_ended_ + (expected_of_worker_ > 0 ? 1 : 0);
  const double known = expected_of_ended_ + expected_of_worker_;
  if (known_workers == 0 || known <= 0) return 0;
  const double all = known + known / known_workers * (workers_ - known_workers);
  return (expected_of_ended_ + done_of_worker_) / all;
}

double Progress::seconds_left() const {
  const double share = share_done();
  if (share < 0.02) return -1;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  return elapsed / share * (1 - share);
}

void Progress::draw() {
  if (!drawn_ || Clock::now() - last_drawn_ < between_draws) return;
  last_drawn_ = Clock::now();
  shown_share_ = std::max(shown_share_, std::clamp(share_done(), 0.0, 1.0));
  std::string bar;
  for (int column = 0; column < bar_columns; ++column) bar += column < shown_share_ * bar_columns ? "━" : "╌";
  std::string rest = fmt::format("{:3.0f} %", shown_share_ * 100);
  const double left = seconds_left();
  if (left >= 0) rest += ", about " + time_text(left) + " left";
  rest += "  " + point_ + ", " + label_;
  const int columns = os::terminal_columns(os::StandardStream::errors);
  auto room = static_cast<std::size_t>(std::max(10, (columns > 0 ? columns : 80) - bar_columns - 3));
  // The cut is not in the middle of a letter, whose later bytes begin with the bits 10.
  while (room < rest.size() && (static_cast<unsigned char>(rest[room]) & 0xC0u) == 0x80u) --room;
  std::cerr << "\r\033[K" << bar << "  " << rest.substr(0, room) << std::flush;
}

void Progress::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  last_drawn_ = {};
}

std::string plan(std::span<const std::pair<const TargetDevice*, device::Api>> work,
                 std::span<const measure::Probe* const> probes, const measure::Request& request,
                 double time_limit_seconds) {
  double seconds = 0;
  bool simulated = false;
  std::string lines;
  for (const auto& [target, api] : work) {
    measure::Request of_device = request;
    of_device.line_bytes = target->record.line_bytes;
    const device::DeviceInfo& info = records::through(target->record, api)->info;
    for (const measure::Probe* probe : probes) {
      if (!measure::is_asked_through(*probe, api) || probe->obstacle(info)) continue;
      double probe_seconds = 0;
      double largest_bytes = 0;
      for (const measure::Point& point : probe->next(info, of_device, {})) {
        probe_seconds += point.visits * point.expected_seconds;
        largest_bytes = std::max(largest_bytes, point.x.bytes.value_or(0));
      }
      simulated = simulated || api == device::Api::model;
      seconds += probe_seconds;
      lines += "  " + std::string(probe->name) + " on " + target->record.name;
      if (api == device::Api::opencl || api == device::Api::vulkan) lines += " through " + records::spoken_name(api);
      if (largest_bytes > 0) lines += ", up to " + measure::size_text(largest_bytes);
      lines += "\n";
    }
  }
  std::string head = "Plan: about " + time_text(seconds);
  if (simulated) head += " where all is real, less where it is simulated";
  if (time_limit_seconds > 0 && time_limit_seconds < seconds) {
    head += ", but --time-limit ends it after " + time_text(time_limit_seconds);
  }
  return head + "\n" + lines;
}

}  // namespace sonde::session
