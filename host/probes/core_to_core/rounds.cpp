#include "probes/core_to_core/rounds.hpp"

#include <algorithm>
#include <utility>

namespace sonde::probes {
namespace {

/// Groups of at most so many, each spread evenly over a round.
void add_groups(std::vector<std::vector<CpuPair>>& groups, const std::vector<CpuPair>& round, std::size_t at_once) {
  const std::size_t count = (round.size() + at_once - 1) / at_once;
  for (std::size_t group = 0; group < count; ++group) {
    std::vector<CpuPair>& own = groups.emplace_back();
    for (std::size_t index = group; index < round.size(); index += count) own.push_back(round[index]);
  }
}

}  // namespace

std::size_t pairs_at_once(const cpu::Topology& machine, std::size_t cores) {
  constexpr std::size_t most = 8;
  std::size_t fitting = std::min(most, cores / 4);
  if (machine.quota) fitting = std::min(fitting, static_cast<std::size_t>(*machine.quota / 2));
  return std::max<std::size_t>(1, fitting);
}

std::vector<std::vector<CpuPair>> rounds_of(const std::vector<const cpu::Core*>& cores, std::size_t at_once) {
  std::vector<std::vector<CpuPair>> groups;
  std::vector<CpuPair> siblings;
  for (const cpu::Core* core : cores) {
    if (!core->siblings.empty()) siblings.push_back({.from = core, .to = core, .siblings = true});
  }
  add_groups(groups, siblings, at_once);
  // A tournament by the circle method: one seat stays, the others move on by one place each round. Of an odd number one
  // seat is empty, and who meets it has the round off.
  std::vector<const cpu::Core*> seats = cores;
  if (seats.size() % 2 != 0) seats.push_back(nullptr);
  for (std::size_t turn = 1; turn < seats.size(); ++turn) {
    std::vector<CpuPair> there;
    std::vector<CpuPair> back;
    for (std::size_t seat = 0; seat < seats.size() / 2; ++seat) {
      const cpu::Core* const one = seats[seat];
      const cpu::Core* const other = seats[seats.size() - 1 - seat];
      if (one == nullptr || other == nullptr) continue;
      there.push_back({.from = one, .to = other});
      back.push_back({.from = other, .to = one});
    }
    add_groups(groups, there, at_once);
    add_groups(groups, back, at_once);
    std::rotate(seats.begin() + 1, seats.end() - 1, seats.end());
  }
  return groups;
}

}  // namespace sonde::probes
