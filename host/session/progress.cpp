#include "session/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "os/terminal.hpp"
#include "records/visible.hpp"
#include "session/time_text.hpp"

namespace sonde::session {
namespace {

int columns_of_the_terminal() {
  const int columns = os::terminal_columns(os::StandardStream::errors);
  return columns > 0 ? columns : 80;
}

constexpr int bar_columns = 24;
constexpr std::chrono::milliseconds between_draws{100};

}  // namespace

Progress::Progress(bool drawn, int workers) : drawn_(drawn), workers_(workers) {}

Progress::~Progress() { clear(); }

void Progress::worker_started(const std::string& label) {
  label_ = records::visible(label);
  point_ = "opening the device";
  expected_of_worker_ = done_of_worker_ = current_point_ = 0;
  if (!drawn_) std::cerr << label_ << "\n";
}

void Progress::planned(double expected_seconds) { expected_of_worker_ += expected_seconds; }

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
  const double share = shown_share_;
  std::string bar;
  for (int column = 0; column < bar_columns; ++column) bar += column < share * bar_columns ? "━" : "╌";
  std::string rest = fmt::format("{:3.0f} %", share * 100);
  const double left = seconds_left();
  if (left >= 0) rest += ", about " + time_text(left) + " left";
  rest += "  " + point_ + ", " + label_;
  std::size_t room = static_cast<std::size_t>(std::max(10, columns_of_the_terminal() - bar_columns - 3));
  // Not in the middle of a letter: its later bytes begin with the bits 10.
  while (room < rest.size() && (static_cast<unsigned char>(rest[room]) & 0xC0u) == 0x80u) --room;
  std::cerr << "\r\033[K" << bar << "  " << rest.substr(0, room) << std::flush;
}

void Progress::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  last_drawn_ = {};
}

}  // namespace sonde::session
