#include "session/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "os/this_process.hpp"
#include "records/device_record.hpp"

namespace sonde::session {
namespace {

constexpr std::chrono::milliseconds between_draws{200};
/// A screen costs a moment in which nothing is measured.
constexpr std::chrono::seconds between_screens{3};

std::string status_of(const Position& position) {
  const long seconds = std::lround(std::max(position.seconds_left, 0.0));
  const std::string left = seconds < 90 ? fmt::format("{} s", seconds) : fmt::format("{} min", (seconds + 30) / 60);
  const std::string what = position.sharpens.empty() ? "" : " for " + position.sharpens;
  return left + " left · " + records::visible(position.point + what + ", " + position.device + ", " + position.api);
}

}  // namespace

void Progress::at(const Position& position) {
  position_ = position;
  if (!drawn_ && announced_.emplace(position.device, position.api, position.probe).second)
    std::cerr << records::visible(position.probe + " on " + position.device + ", " + position.api) << "\n";
}

bool Progress::wants_a_screen() const { return drawn_ && Clock::now() - last_screen_ > between_screens; }

void Progress::show(const std::vector<records::Line>& lines) {
  clear();
  const std::string screen = screen_(lines);
  // What was scrolled out of a terminal cannot be drawn over: only its first lines are shown where it has few.
  const int room = os::terminal_size(os::StandardStream::errors).lines - 2;
  std::size_t end = 0;
  for (lines_drawn_ = 0; end < screen.size() && (room <= 0 || lines_drawn_ < room); ++lines_drawn_)
    end = screen.find('\n', end) + 1;
  std::cerr << std::string_view(screen).substr(0, end) << "\n";
  ++lines_drawn_;
  last_screen_ = Clock::now();
  draw();
}

void Progress::draw() {
  if (!drawn_ || Clock::now() - last_drawn_ < between_draws) return;
  last_drawn_ = Clock::now();
  const std::string status = status_of(position_);
  const int columns = os::terminal_size(os::StandardStream::errors).columns;
  auto room = static_cast<std::size_t>(std::max(10, (columns > 0 ? columns : 80) - 1));
  // The cut is not in the middle of a letter, whose later bytes begin with the bits 10.
  while (room < status.size() && (static_cast<unsigned char>(status[room]) & 0xC0u) == 0x80u) --room;
  std::cerr << "\r\033[K" << status.substr(0, room) << std::flush;
}

void Progress::clear() {
  if (!drawn_) return;
  std::cerr << "\r\033[K";
  if (lines_drawn_ > 0) std::cerr << fmt::format("\033[{}A\033[J", lines_drawn_);
  std::cerr << std::flush;
  lines_drawn_ = 0;
  last_drawn_ = {};
}

}  // namespace sonde::session
