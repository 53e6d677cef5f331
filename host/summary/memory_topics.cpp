#include <fmt/format.h>
#include <fmt/ranges.h>

#include "summary/first_screen.hpp"

namespace sonde::summary {
namespace {

using measure::Direction;
using measure::Finding;

/// The kinds of memory of findings of one name, in the order of their words.
std::set<std::string> kinds_of(const Results& results, std::string_view name) {
  std::set<std::string> kinds;
  for (const auto& [origin, found, finding] : results.findings) {
    if (found == name) kinds.insert(finding.words.memory.str());
  }
  return kinds;
}

std::string listed_kinds(const std::set<std::string>& kinds) {
  return listed(std::vector<std::string>(kinds.begin(), kinds.end()));
}

const char* verb(const std::set<std::string>& kinds, const char* one, const char* several) {
  return kinds.size() == 1 ? one : several;
}

/// "are copied whole at 54.0 GB/s", with both rates where the directions differ.
std::string copied(const Results& results) {
  const auto towards = [&results](Direction direction) {
    return find_finding(results, "copies", [direction](const Words& words) { return words.direction == direction; });
  };
  const Finding* const in = towards(Direction::to_device);
  const Finding* const out = towards(Direction::to_host);
  if (in == nullptr || out == nullptr) {
    const Finding* const one = in != nullptr ? in : out;
    return fmt::format("{} GB/s {}", significant(one->value.value_or(0)),
                       in != nullptr ? "to the device" : "to the host");
  }
  const std::string rate = significant(in->value.value_or(0));
  const std::string back = significant(out->value.value_or(0));
  return rate == back ? rate + " GB/s" : fmt::format("{} GB/s to the device, {} back", rate, back);
}

/// What is shared, and what is copied.
std::string sharing(const Results& zero_copy) {
  std::set<std::string> shared = kinds_of(zero_copy, "zero-copy");
  const std::set<std::string> copies = kinds_of(zero_copy, "copies");
  const std::set<std::string> migrates = kinds_of(zero_copy, "migrates");
  const std::set<std::string> unclear = kinds_of(zero_copy, "unclear");
  // A kind is shared where neither direction copies.
  for (const std::set<std::string>* others : {&copies, &migrates, &unclear})
    std::erase_if(shared, [others](const std::string& kind) { return others->contains(kind); });
  const bool all = copies.empty() && migrates.empty() && unclear.empty();
  std::vector<std::string> parts;
  if (!shared.empty() && all) return fmt::format("truly shared: all {} kinds, nothing is copied", shared.size());
  if (!shared.empty()) parts.push_back(listed_kinds(shared) + verb(shared, " is", " are") + " truly shared");
  if (!copies.empty())
    parts.push_back(listed_kinds(copies) + verb(copies, " is", " are") + " copied whole when mapped, at " +
                    copied(zero_copy));
  if (!migrates.empty()) parts.push_back(listed_kinds(migrates) + verb(migrates, " migrates", " migrate"));
  if (!unclear.empty()) parts.push_back(listed_kinds(unclear) + verb(unclear, " is", " are") + " unclear");
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "24.7 GB/s + 0.83 µs to the device, 24.6 + 0.96 back": a rate, and what each copy costs beside its bytes. Empty
/// where nothing of it is known.
std::string copy_text(const Results& results, measure::HostMemory host) {
  std::string text;
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    const auto is_it = [&](const Words& words) {
      return words.direction == direction && words.host == host && words.engine == measure::Engine::driver;
    };
    const Finding* const rate = find_finding(results, "bandwidth", is_it);
    const Finding* const cost = find_finding(results, "latency", is_it);
    if (rate == nullptr || !rate->value) continue;
    // The second numbers have the first ones' units.
    const bool is_first = text.empty();
    text += (is_first ? "" : ", ") + said_with_interval(*rate) + (is_first ? " GB/s" : "");
    constexpr double least_us = 0.005;
    if (cost != nullptr && cost->value.value_or(0) >= least_us)
      text += " + " + significant(*cost->value) + (is_first ? " µs" : "");
    text += direction == Direction::to_device ? " to the device" : " back";
  }
  return text;
}

}  // namespace

Topic host_memory(const Shown& shown) {
  std::array<Said, 4> said;
  for (const device::Api api : driver_apis) {
    const Results& host = shown.of(api, "host-memory");
    const auto say = [&](std::size_t place, std::string text) {
      if (!text.empty()) said[place][api] = std::move(text);
    };
    say(0, sharing(shown.of(api, "zero-copy")));
    const std::set<std::string> bus = kinds_of(host, "across-the-bus");
    if (const Finding* far = find_finding(host, "across-the-bus"); far != nullptr && far->value)
      say(1, fmt::format("{} {} read across the bus, {} ns a load", listed_kinds(bus), verb(bus, "is", "are"),
                         significant(*far->value)));
    std::set<std::string> bypassing = kinds_of(host, "bypasses-last-level-cache");
    std::erase_if(bypassing, [&bus](const std::string& kind) { return bus.contains(kind); });
    if (!bypassing.empty())
      say(2, listed_kinds(bypassing) + verb(bypassing, " bypasses", " bypass") + " the last cache");
    if (const Finding* trip = find_finding(host, "round-trip"); trip != nullptr && trip->value)
      say(3, fmt::format("CPU to device and back in {} µs", said_with_interval(*trip)));
  }
  Topic topic{.name = "Host memory"};
  for (const Said& one : said) add_said(shown, one, topic);
  return topic;
}

Topic copies(const Shown& shown) {
  std::array<Said, 3> said;
  for (const device::Api api : driver_apis) {
    const Results& results = shown.of(api, "copy");
    for (const measure::HostMemory host : {measure::HostMemory::pageable, measure::HostMemory::pinned}) {
      if (const std::string text = copy_text(results, host); !text.empty()) said[0][api] = text;
    }
    double engines = 0;
    double overlap = -1;
    for (const auto& [origin, name, finding] : results.findings) {
      if (name == "engines") engines = std::max(engines, finding.value.value_or(0));
      if (name == "overlaps-compute") overlap = std::max(overlap, estimate_of(finding).low);
    }
    if (engines == 1) said[1][api] = "both directions at once: no faster";
    if (engines > 1) said[1][api] = fmt::format("{:g} copies at once", engines);
    constexpr double most_of_it = 0.9;
    if (overlap > most_of_it) said[2][api] = "copies run beside kernels";
    if (overlap == 0) said[2][api] = "copies wait for kernels, or slow them";
  }
  Topic topic{.name = "Copies"};
  for (const Said& one : said) add_said(shown, one, topic);
  return topic;
}

}  // namespace sonde::summary
