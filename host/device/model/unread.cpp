#include "device/model/unread.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sonde::device::model {
namespace {

constexpr std::size_t most_writes = 4096;

}  // namespace

void Unread::add(Write write) {
  if (writes_.size() == most_writes) compute_all(nullptr);
  writes_.push_back(std::move(write));
}

void Unread::settle(const Storage& used) {
  if (concerns(used)) compute_all(nullptr);
}

void Unread::forget(const Storage& ending) {
  if (concerns(ending)) compute_all(&ending);
}

bool Unread::concerns(const Storage& storage) const {
  return std::ranges::any_of(writes_, [&](const Write& write) {
    return write.target == &storage || std::ranges::find(write.inputs, &storage) != write.inputs.end();
  });
}

void Unread::compute_all(const Storage* ending) {
  std::vector<Write> writes = std::exchange(writes_, {});
  // Seen from the end, the parts that are written later and not read before that.
  std::map<const Storage*, std::map<std::vector<std::uint64_t>, std::vector<bool>>> filled_later;
  std::set<const Storage*> never_read{ending};
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    std::vector<bool>& filled = filled_later[write->target][write->place];
    filled.resize(write->parts);
    bool is_read = false;
    for (std::uint32_t part = 0; part < std::min(write->count, write->parts); ++part) {
      const std::size_t at = (std::uint64_t{write->first} + part) % write->parts;
      is_read = is_read || !filled[at];
      filled[at] = true;
    }
    if (never_read.contains(write->target) || !is_read) {
      write->compute = {};
      continue;
    }
    for (const Storage* const input : write->inputs) {
      filled_later[input].clear();
      never_read.erase(input);
    }
  }
  for (const Write& write : writes) {
    if (!write.compute) continue;
    write.compute();
    words_ += write.words;
  }
}

}  // namespace sonde::device::model
