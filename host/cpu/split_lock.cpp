#include "cpu/split_lock.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include "os/machine.hpp"

// Sources: kernel, Documentation/admin-guide/sysctl/kernel.rst (split_lock_mitigate), kernel-parameters.txt
// (split_lock_detect), arch/x86/buslock.rst.
namespace sonde::cpu {
namespace {

std::string text_at(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

SplitLockRule split_lock_rule() {
  if (!os::tells_by_files) return {};
  return split_lock_rule(text_at("/proc/sys/kernel/split_lock_mitigate"), text_at("/proc/cmdline"));
}

SplitLockRule split_lock_rule(std::string_view mitigate, std::string_view command_line) {
  SplitLockRule rule;
  if (!mitigate.empty()) rule.slowed = mitigate.front() != '0';
  if (command_line.find("split_lock_detect=off") != std::string_view::npos) rule.slowed = false;
  rule.ended = command_line.find("split_lock_detect=fatal") != std::string_view::npos;
  return rule;
}

}  // namespace sonde::cpu
