#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "counters/selfcheck/self_check.hpp"

namespace sonde::counters {
namespace {

/// "0.998 (0.991 to 1.01)".
std::string text_of(const SeenShare& share) {
  return fmt::format("{} ({} to {})", analysis::number_text(share.value), analysis::number_text(share.low),
                     analysis::number_text(share.high));
}

/// The bytes of one count that would explain the share.
SeenShare count_bytes_of(const CheckedRole& checked) {
  const double planned = checked.counting.count_bytes;
  return {.low = planned / checked.share->high,
          .value = planned / checked.share->value,
          .high = planned / checked.share->low};
}

constexpr const char* please_report =
    "Do not trust this counter's bytes until Sonde knows the machine: report it with the record file";

std::string explain_beats(const CheckedRole& checked) {
  const double count_bytes = count_bytes_of(checked).value;
  const bool is_less = checked.share->value < 1;
  return fmt::format(
      "it sees {} times what was moved: one count stands for {:.0f} bytes, not {}{}. {}", text_of(*checked.share),
      count_bytes, checked.counting.count_bytes,
      is_less ? fmt::format(", or {} counters are half of those that there are", checked.counting.counters) : "",
      please_report);
}

std::string explain_stations(const CheckedRole& checked) {
  const auto& [fewest, most] = *checked.stations;
  const std::string number = fewest == most ? std::to_string(fewest) : fmt::format("{} to {}", fewest, most);
  return fmt::format(
      "it sees {} of what was moved, as if {} of {} stations were counted. Run it again, as a station is missed where "
      "it was quiet when stations were looked for; if it stays so: {}",
      text_of(*checked.share), checked.counting.counters, number, please_report);
}

std::string explain_unknown(const std::set<Label>& labels) {
  if (labels.contains(Label::uneven))
    return "not known, as the stations that took turns differed by more than a tenth: other programs came and went. "
           "Close them and run it again";
  if (labels.contains(Label::not_counted))
    return "not known, as the kernel had no counter left: end other profilers, or switch the NMI watchdog off (sudo "
           "sysctl kernel.nmi_watchdog=0), and run it again";
  return "not known in half of the repetitions or more" + (labels.empty() ? "" : ": " + names_of(labels)) +
         ". Run it again";
}

std::string verdict_on(const CheckedRole& checked) {
  switch (checked.verdict) {
    case CheckVerdict::as_expected:
      return fmt::format("as expected: it sees {} times what was moved. One count stands for {} bytes, planned {}",
                         text_of(*checked.share), text_of(count_bytes_of(checked)), checked.counting.count_bytes);
    case CheckVerdict::calibrated:
      return fmt::format("it follows the load. One count stands for {} bytes on this machine, where Linux states {}",
                         text_of(count_bytes_of(checked)), checked.counting.count_bytes);
    case CheckVerdict::other_beats: return explain_beats(checked);
    case CheckVerdict::stations_missing: return explain_stations(checked);
    case CheckVerdict::other_factor:
      return fmt::format("it sees {} times what was moved, which neither other beats nor missing stations explain. {}",
                         text_of(*checked.share), please_report);
    case CheckVerdict::counts_nothing:
      return "it counts nothing while memory is busy, though the kernel opened it: " +
             std::string(checked.role == Role::memory_read || checked.role == Role::memory_write
                             ? "the firmware keeps these counters switched off. A newer BIOS or kernel may switch them "
                               "on; until then there is no hit rate on this machine"
                             : "this kernel does not know the processor's counters, or a hypervisor hides them. Try a "
                               "newer kernel, outside a virtual machine");
    case CheckVerdict::not_known: return explain_unknown(checked.labels);
    case CheckVerdict::disturbed:
      return "repetitions differ too much, as other programs used memory meanwhile. Close them and run it again";
    case CheckVerdict::does_not_follow:
      return fmt::format(
          "it does not follow the load: what it sees is no fixed share of what was moved. Close other programs and run "
          "it again; if it stays so, it counts something else. {}",
          please_report);
  }
  return "";
}

}  // namespace

bool is_fine(CheckVerdict verdict) {
  return verdict == CheckVerdict::as_expected || verdict == CheckVerdict::calibrated;
}

std::string explain(const CheckedRole& checked) {
  std::string words = checked.title + ": " + verdict_on(checked);
  if (checked.share && checked.labels.contains(Label::extrapolated) && is_fine(checked.verdict))
    words +=
        fmt::format(". Its counters took turns, so that it is scaled by {}; {} would fit",
                    analysis::number_text(checked.scale), analysis::number_text(checked.scale / checked.share->value));
  if (checked.labels.contains(Label::multiplexed))
    words +=
        ". The kernel shared its counters out and it is scaled: end other profilers, or switch the NMI watchdog off "
        "(sudo sysctl kernel.nmi_watchdog=0)";
  return words;
}

}  // namespace sonde::counters
