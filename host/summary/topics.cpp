#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "analysis/number_text.hpp"
#include "summary/first_screen.hpp"

namespace sonde::summary {
namespace {

using analysis::Estimate;
using measure::Finding;

constexpr const char* unknown_yet = "…";

Topic contention(const Shown& shown) {
  const bool is_cpu = shown.device.type == device::DeviceType::cpu;
  std::array<Said, 2> said;
  for (const device::Api api : driver_apis) {
    const Results& results = shown.of(api, "contention");
    const std::vector<UnderLoad> loads = loads_of(results);
    const Finding* loss = find_finding(results, "cpu-loss");
    if (!loads.empty()) {
      const bool no_longer = loss != nullptr ? estimate_of(*loss).low <= 0 : longer(loads.front()) == "no longer";
      std::string& text = said[0][api];
      text = "the CPU's loads ";
      text += no_longer ? "take no longer under C = A + B"
                        : fmt::format("{} → {} ns under C = A + B", significant(*loads.front().idle->value),
                                      significant(*loads.front().full->value));
      const Finding* ten = find_finding(results, "load-for-10-percent");
      const bool is_known = ten != nullptr && ten->value && measure::relative_half_width(estimate_of(*ten)) < 1;
      if (!no_longer && is_known) text += fmt::format(", 10 % longer from {} GB/s on", said_with_interval(*ten));
    }
    if (const Finding* gpu = find_finding(results, "gpu-loss"); gpu != nullptr && gpu->value) {
      const Estimate lost = estimate_of(*gpu);
      said[1][api] = std::string(is_cpu ? "kernels" : "the GPU") + " beside the CPU: " +
                     (lost.low <= 0 ? "no loss seen"
                                    : fmt::format("{:.0f} % less ({:.0f}–{:.0f})", 100 * lost.value, 100 * lost.low,
                                                  100 * lost.high));
    }
  }
  Topic topic{.name = "Contention"};
  for (const Said& one : said) add_said(shown, one, topic);
  return topic;
}

Topic compute(const Shown& shown) {
  std::array<Said, 2> said;
  for (const device::Api api : driver_apis) {
    const Results& results = shown.of(api, "compute");
    std::map<measure::ArithmeticType, const Finding*> peaks;
    for (const auto& [origin, name, finding] : results.findings) {
      if (name != "peak" || !finding.value || !finding.words.type) continue;
      const Finding*& most = peaks[*finding.words.type];
      if (most == nullptr || *finding.value > *most->value) most = &finding;
    }
    std::string text;
    for (const auto& [type, peak] : peaks)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", measure::word_of(type), said_with_interval(*peak));
    if (!text.empty()) said[0][api] = text + " Gop/s";
    const auto is_memory = [](const Words& words) { return words.level.text() == "memory"; };
    if (const Finding* ridge = find_finding(results, "ridge", is_memory); ridge != nullptr && ridge->value)
      said[1][api] = fmt::format("ridge with memory at {} operations a byte", said_with_interval(*ridge));
  }
  Topic topic{.name = "Compute"};
  for (const Said& one : said) add_said(shown, one, topic);
  return topic;
}

/// "32.2 MiB (30.7–33.5)".
std::string capacity(const Finding& finding) {
  const Estimate bytes = estimate_of(finding);
  const std::string range = size_interval(bytes);
  return measure::size_text(bytes.value) + (range.empty() ? "" : " " + range);
}

Topic hit_rate(const Shown& shown) {
  const auto is_device = [](const Words& words) { return words.memory.empty() || words.memory.text() == "device"; };
  std::array<Said, 3> said;
  for (const device::Api api : driver_apis) {
    const Results& results = shown.of(api, "hit-rate");
    if (const Finding* found = find_finding(results, "effective-capacity", is_device)) {
      said[0][api] = "the last cache serves as many loads as " + capacity(*found) + " would";
      std::vector<std::string> bypassing;
      for (const auto& [origin, name, finding] : results.findings) {
        const bool is_told = find_finding(shown.of(api, "host-memory"), "bypasses-last-level-cache",
                                          [&](const Words& words) { return words.memory == finding.words.memory; });
        if (name == "none-seen" && !is_device(finding.words) && !is_told)
          bypassing.push_back(finding.words.memory.str());
      }
      if (!bypassing.empty())
        said[1][api] = listed(bypassing) + (bypassing.size() == 1 ? " bypasses it" : " bypass it");
    } else if (find_finding(results, "none-seen", is_device) != nullptr) {
      said[0][api] = "no cache before memory is seen";
    } else if (const Finding* contrast = find_finding(results, "contrast-too-small", is_device)) {
      said[0][api] = fmt::format("not told, as a miss takes only {} times as long as a hit",
                                 analysis::number_text(contrast->value.value_or(1)));
    }
    const Finding* differ = find_finding(results, "methods-differ", is_device);
    if (differ != nullptr && differ->value && (estimate_of(*differ).low > 0 || estimate_of(*differ).high < 0))
      said[2][api] = fmt::format("counters say {} {} than timing", analysis::percent_text(std::abs(*differ->value)),
                                 *differ->value > 0 ? "more" : "less");
  }
  Topic topic{.name = "Hit rate"};
  for (const Said& one : said) add_said(shown, one, topic);
  return topic;
}

Topic cores(const Shown& shown) {
  struct Kind {
    std::string_view finding;
    bool (*passes)(const Words&);
    const char* text;
  };
  constexpr std::array kinds{
      Kind{"exchange-latency", [](const Words& words) { return words.exchange == measure::Exchange::compare_and_swap; },
           " ns there and back by compare-and-swap"},
      Kind{"held-line-latency", [](const Words& words) { return words.line == measure::LineState::modified; },
           " ns for a line that another core changed"},
      Kind{"queue-rate", [](const Words& words) { return words.role == measure::QueueRole::reader; },
           " GB/s through a queue"}};
  Topic topic{.name = "Cores"};
  for (const Kind& kind : kinds) {
    std::string text;
    for (const auto& [origin, name, finding] : shown.of(device::Api::cpu, "core-to-core").findings) {
      if (name != kind.finding || !finding.value || !kind.passes(finding.words)) continue;
      // The nearest of several placements is not named.
      const bool is_further = !text.empty() && finding.words.placement;
      text += (is_further ? ", " : "") + said_with_interval(finding) +
              (is_further ? " " + std::string(measure::word_of(*finding.words.placement)) : "");
    }
    if (!text.empty()) topic.parts.push_back(text + kind.text);
  }
  const auto is_loose = [](const measure::Measurement* one) {
    const auto pinned = one->state.shape.find("pinned");
    return pinned != one->state.shape.end() && pinned->second == 0;
  };
  for (const auto& [words, samples] : shown.of(device::Api::cpu, "core-to-core").samples) {
    if (topic.parts.empty() || std::ranges::none_of(samples, is_loose)) continue;
    topic.parts.emplace_back("the threads were not kept on their CPUs, so nobody knows between which cores");
    break;
  }
  return topic;
}

/// The time that memory needs for one frame, of the resolution that is nearest to 1080p.
Topic frames(const Shown& shown) {
  constexpr double full_hd = 1080;
  const auto height = [](const measure::Measurement& one) { return one.point.x.height.value_or(0); };
  Said said;
  for (const device::Api api : driver_apis) {
    const measure::Measurement* best = nullptr;
    for (const auto& [words, samples] : shown.of(api, "frames").samples) {
      for (const measure::Measurement* one : samples) {
        const bool is_nearer = best == nullptr || std::abs(height(*one) - full_hd) < std::abs(height(*best) - full_hd);
        if (one->unit == "ms" && is_nearer) best = one;
      }
    }
    if (best == nullptr) continue;
    const double ms = measure::median_of(*best);
    said[api] = fmt::format("a frame of {:g} lines keeps memory busy for {} {}", height(*best),
                            significant(ms < 1 ? ms * 1000 : ms), ms < 1 ? "µs" : "ms");
  }
  Topic topic{.name = "Frames"};
  add_said(shown, said, topic);
  return topic;
}

Topic disturbance(const Shown& shown) {
  Topic topic{.name = "Disturbance"};
  const std::vector<const measure::Measurement*>& points = shown.view.of(shown.device.id).points;
  std::vector<double> taken;
  std::size_t hollow = 0;
  std::set<std::string> throttled;
  std::size_t throttled_points = 0;
  for (const measure::Measurement* one : points) {
    taken.push_back(std::max(one->state.foreign_cpu, one->state.steal));
    hollow += one->state.disturbed ? 1 : 0;
    const auto& reasons = one->state.device_state.throttle_reasons;
    if (!reasons || reasons->empty()) continue;
    ++throttled_points;
    throttled.insert(reasons->begin(), reasons->end());
  }
  const auto percent = [](double share) { return analysis::percent_text(share); };
  const double worst = taken.empty() ? 0 : std::ranges::max(taken);
  const double usual = taken.empty() ? 0 : analysis::quantile(taken, 0.5);
  constexpr double shown_from = 0.005;
  if (worst >= shown_from) {
    topic.parts.push_back(usual >= shown_from
                              ? fmt::format("others took {} of the CPU, at worst {}", percent(usual), percent(worst))
                              : fmt::format("others took up to {} of the CPU", percent(worst)));
  }
  if (hollow > 0) {
    topic.parts.push_back(
        fmt::format("{} of {} points {} drawn hollow", hollow, points.size(), hollow == 1 ? "is" : "are"));
    topic.is_marked = true;
  }
  if (throttled_points > 0) {
    const std::vector<std::string> reasons(throttled.begin(), throttled.end());
    topic.parts.push_back(fmt::format("{} points throttled ({})", throttled_points, fmt::join(reasons, ", ")));
  }
  return topic;
}

Topic not_measured(const Shown& shown) {
  Topic topic{.name = "Not measured"};
  std::array<std::size_t, 3> kinds{};
  std::size_t failed = 0;
  std::size_t all = 0;
  for (const Unmeasured& one : shown.view.of(shown.device.id).unmeasured) {
    failed += one.failed ? 1 : 0;
    kinds[static_cast<std::size_t>(kind_of_reason(one.reason))] += one.failed ? 0 : 1;
    ++all;
  }
  const bool simulated = shown.device.type == device::DeviceType::model;
  // The third kind needs no verb behind the second.
  const bool after_need = kinds[1] > 0;
  const char* const longer_run = kinds[2] == 1 ? "needs a quieter or longer run" : "need a quieter or longer run";
  const std::array words{simulated ? "the model cannot" : "the driver cannot",
                         kinds[1] == 1 ? "needs other hardware" : "need other hardware",
                         after_need ? "a quieter or longer run" : longer_run};
  if (failed > 0) topic.parts.push_back(fmt::format("{} failed", failed));
  topic.is_marked = failed > 0;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind] == all && all > 0) topic.parts.emplace_back(words[kind]);
    if (kinds[kind] > 0 && kinds[kind] < all) topic.parts.push_back(fmt::format("{} {}", kinds[kind], words[kind]));
  }
  if (!topic.parts.empty())
    topic.parts.front() = fmt::format("{} {}: {}", all, all == 1 ? "thing" : "things", topic.parts.front());
  return topic;
}

}  // namespace

std::vector<Topic> topics(const Shown& shown, std::span<const std::string> awaited) {
  std::vector<std::pair<Topic, std::string_view>> all{
      {other_paths(shown), ""},          {disagree(shown), ""},
      {native_code(shown), ""},          {under_load(shown), "loaded-latency"},
      {host_memory(shown), "zero-copy"}, {copies(shown), "copy"},
      {contention(shown), "contention"}, {compute(shown), "compute"},
      {hit_rate(shown), "hit-rate"},     {cores(shown), "core-to-core"},
      {frames(shown), "frames"},         {disturbance(shown), ""},
      {not_measured(shown), ""}};
  std::vector<Topic> shown_topics;
  for (auto& [topic, probe] : all) {
    if (topic.parts.empty() && std::ranges::find(awaited, probe) != awaited.end()) topic = {topic.name, {unknown_yet}};
    if (!topic.parts.empty()) shown_topics.push_back(std::move(topic));
  }
  return shown_topics;
}

}  // namespace sonde::summary
