#include "summary/first_screen.hpp"

namespace sonde::summary {
namespace {

/// A part of a reason, and the kind of a reason that has it.
struct Sign {
  std::string_view part;
  Missing kind;
};

/// Reasons are sentences for a person, and the part of each that advises one tells what would help. The first sign that
/// a reason has counts: one that asks for quiet is about time though it names cores.
constexpr std::array signs{
    Sign{"idle machine", Missing::needs_time},
    Sign{"vary so much", Missing::needs_time},
    Sign{"--time", Missing::needs_time},
    Sign{"--effort", Missing::needs_time},
    Sign{"other programs had", Missing::needs_time},
    Sign{"so that neither", Missing::needs_time},
    Sign{"budget", Missing::needs_time},
    Sign{"interrupted", Missing::needs_time},
    Sign{"a machine with", Missing::needs_hardware},
    Sign{"node of memory", Missing::needs_hardware},
    Sign{"NUMA node", Missing::needs_hardware},
    Sign{"no other cluster", Missing::needs_hardware},
    Sign{"no other core", Missing::needs_hardware},
    Sign{"that this process may use", Missing::needs_hardware},
    Sign{"may use one core", Missing::needs_hardware},
    Sign{"this kind of processor", Missing::needs_hardware},
    Sign{"this computer has no room", Missing::needs_hardware},
    Sign{"has no CPU", Missing::needs_hardware},
};

}  // namespace

Missing kind_of_reason(std::string_view reason) {
  const auto* const found =
      std::ranges::find_if(signs, [reason](const Sign& sign) { return reason.find(sign.part) != reason.npos; });
  return found == signs.end() ? Missing::cannot : found->kind;
}

}  // namespace sonde::summary
