#include "cpu/instructions.hpp"

#include "os/file.hpp"
#include "os/machine.hpp"

// Sources: kernel, Documentation/admin-guide/sysctl/kernel.rst (split_lock_mitigate), kernel-parameters.txt
// (split_lock_detect), arch/x86/buslock.rst.
namespace sonde::cpu {

SplitLockRule split_lock_rule() {
  if (!os::has_proc_and_sys) return {};
  constexpr std::size_t most_bytes = 1 << 16;
  return split_lock_rule(os::read_bytes("/proc/sys/kernel/split_lock_mitigate", most_bytes).value_or(""),
                         os::read_bytes("/proc/cmdline", most_bytes).value_or(""));
}

SplitLockRule split_lock_rule(std::string_view mitigate, std::string_view command_line) {
  SplitLockRule rule;
  if (!mitigate.empty()) rule.slowed = mitigate.front() != '0';
  if (command_line.find("split_lock_detect=off") != std::string_view::npos) rule.slowed = false;
  rule.ended = command_line.find("split_lock_detect=fatal") != std::string_view::npos;
  return rule;
}

}  // namespace sonde::cpu
