#include "os/linux_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <utility>

#include "os/file.hpp"

// Sources: kernel, Documentation/arch/arm64/cpu-feature-registers.rst (midr_el1 in sysfs) and
// arch/arm64/include/asm/cputype.h (the numbers); Arm, Architecture Reference Manual, MIDR_EL1; devicetree.org,
// Devicetree Specification.
namespace sonde::os {
namespace {

namespace fs = std::filesystem;

/// The text without surrounding blanks, quotes, line ends, and the zero that ends a text in a device tree.
std::string_view bare(std::string_view text) {
  constexpr std::string_view around(" \t\n\"\0", 5);
  const auto begin = text.find_first_not_of(around);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(around) + 1 - begin);
}

std::optional<std::uint32_t> hexadecimal(std::string_view text) {
  text = bare(text);
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (text.empty() || problem != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

/// The maker of a core and its part number, as MIDR_EL1 has them.
struct CoreType {
  std::uint32_t implementer = 0;
  std::uint32_t part = 0;
  auto operator<=>(const CoreType&) const = default;
};

struct NamedKind {
  CoreType kind;
  std::string_view name;
};

constexpr std::array<NamedKind, 32> named_kinds{{
    {{0x41, 0xd03}, "Arm Cortex-A53"},  {{0x41, 0xd04}, "Arm Cortex-A35"},   {{0x41, 0xd05}, "Arm Cortex-A55"},
    {{0x41, 0xd07}, "Arm Cortex-A57"},  {{0x41, 0xd08}, "Arm Cortex-A72"},   {{0x41, 0xd09}, "Arm Cortex-A73"},
    {{0x41, 0xd0a}, "Arm Cortex-A75"},  {{0x41, 0xd0b}, "Arm Cortex-A76"},   {{0x41, 0xd0c}, "Arm Neoverse-N1"},
    {{0x41, 0xd0d}, "Arm Cortex-A77"},  {{0x41, 0xd40}, "Arm Neoverse-V1"},  {{0x41, 0xd41}, "Arm Cortex-A78"},
    {{0x41, 0xd44}, "Arm Cortex-X1"},   {{0x41, 0xd46}, "Arm Cortex-A510"},  {{0x41, 0xd47}, "Arm Cortex-A710"},
    {{0x41, 0xd48}, "Arm Cortex-X2"},   {{0x41, 0xd49}, "Arm Neoverse-N2"},  {{0x41, 0xd4b}, "Arm Cortex-A78C"},
    {{0x41, 0xd4d}, "Arm Cortex-A715"}, {{0x41, 0xd4e}, "Arm Cortex-X3"},    {{0x41, 0xd4f}, "Arm Neoverse-V2"},
    {{0x41, 0xd80}, "Arm Cortex-A520"}, {{0x41, 0xd81}, "Arm Cortex-A720"},  {{0x41, 0xd82}, "Arm Cortex-X4"},
    {{0x41, 0xd84}, "Arm Neoverse-V3"}, {{0x41, 0xd8e}, "Arm Neoverse-N3"},  {{0x43, 0x0af}, "Cavium ThunderX2"},
    {{0x46, 0x001}, "Fujitsu A64FX"},   {{0x48, 0xd01}, "HiSilicon TSV110"}, {{0x4e, 0x004}, "NVIDIA Carmel"},
    {{0x51, 0x001}, "Qualcomm Oryon"},  {{0xc0, 0xac3}, "Ampere-1"},
}};

std::string name_of(const CoreType& kind) {
  const auto named = std::ranges::find(named_kinds, kind, &NamedKind::kind);
  if (named != named_kinds.end()) return std::string(named->name);
  std::ostringstream text;
  text << std::hex << "processor of implementer 0x" << kind.implementer << ", part 0x" << kind.part;
  return text.str();
}

/// A kind for each core, from the register that sysfs shows; empty on processors other than Arm's.
std::vector<CoreType> kinds_in_sysfs(const fs::path& root) {
  std::vector<CoreType> kinds;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "sys/devices/system/cpu", ignored)) {
    if (const auto midr = hexadecimal(text_of(entry.path() / "regs/identification/midr_el1")))
      kinds.push_back({*midr >> 24, *midr >> 4 & 0xfff});
  }
  return kinds;
}

std::vector<CoreType> kinds_in_cpuinfo(std::string_view cpuinfo) {
  std::vector<CoreType> kinds;
  const std::vector<std::string> implementers = values_in(cpuinfo, "CPU implementer");
  const std::vector<std::string> parts = values_in(cpuinfo, "CPU part");
  for (std::size_t core = 0; core < std::min(implementers.size(), parts.size()); ++core) {
    const auto implementer = hexadecimal(implementers[core]);
    const auto part = hexadecimal(parts[core]);
    if (implementer && part) kinds.push_back({*implementer, *part});
  }
  return kinds;
}

/// Hypervisors write these texts as the machine's vendor, product or firmware vendor.
constexpr std::array<std::string_view, 16> makers_of_virtual_machines{
    "QEMU",
    "KVM",
    "Amazon EC2",
    "Google Compute Engine",
    "VMware",
    "VirtualBox",
    "innotek GmbH",
    "Xen",
    "Bochs",
    "Parallels",
    "BHYVE",
    "Hyper-V",
    "OpenStack",
    "Apple Virtualization",
    "Virtual Machine",
    "RHEV",
};

std::optional<bool> virtualised_by_firmware(const fs::path& root) {
  const fs::path dmi = root / "sys/class/dmi/id";
  const std::string product = text_of(dmi / "product_name");
  const std::string texts = text_of(dmi / "sys_vendor") + product + text_of(dmi / "bios_vendor");
  if (bare(texts).empty()) return std::nullopt;
  // Amazon's bare-metal machines have the same vendor; their product names end in .metal.
  if (bare(product).ends_with(".metal")) return false;
  return std::ranges::any_of(makers_of_virtual_machines,
                             [&texts](std::string_view maker) { return texts.find(maker) != std::string::npos; });
}

/// KVM's device tree names itself in `compatible`; Xen and its like have a node `hypervisor`.
std::optional<bool> virtualised_by_device_tree(const fs::path& root) {
  std::error_code ignored;
  const fs::path tree = root / "proc/device-tree";
  const std::string compatible = text_of(tree / "compatible");
  if (fs::exists(tree / "hypervisor", ignored) || compatible.find("linux,dummy-virt") != std::string::npos ||
      compatible.find("qemu") != std::string::npos)
    return true;
  return bare(compatible).empty() ? std::nullopt : std::optional(false);
}

}  // namespace

std::string text_of(const fs::path& file) {
  constexpr std::size_t most_bytes = 64 << 20;
  return read_bytes(file, most_bytes).value_or("");
}

std::vector<std::string> values_in(std::string_view text, std::string_view key, char separator) {
  std::vector<std::string> values;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto end = line.find(separator);
    if (end != line.npos && bare(line.substr(0, end)) == key) values.emplace_back(bare(line.substr(end + 1)));
  }
  return values;
}

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::istringstream stream(text);
  std::uint64_t value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key, char separator) {
  const std::vector<std::string> values = values_in(text, key, separator);
  return values.empty() ? std::nullopt : number_in(values.front());
}

std::optional<double> quota_in(std::string_view cpu_max) {
  std::istringstream text{std::string(cpu_max)};
  double microseconds = 0;
  double period = 0;
  // "max" is no number; the first version of control groups writes -1 for it.
  if (!(text >> microseconds >> period) || microseconds <= 0 || period <= 0) return std::nullopt;
  return microseconds / period;
}

MachineTime machine_time_in(std::string_view proc_stat, double ticks_per_second) {
  std::istringstream line{std::string(proc_stat.substr(0, proc_stat.find('\n')))};
  std::string label;
  // user nice system idle iowait irq softirq steal; guest time is part of user already.
  std::array<double, 8> ticks{};
  line >> label;
  for (double& value : ticks) line >> value;
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  return {.busy = (user + nice + system + irq + softirq) / ticks_per_second,
          .steal = steal / ticks_per_second,
          .tick = 1 / ticks_per_second};
}

std::uint64_t huge_bytes_in(std::string_view smaps, std::uint64_t begin, std::uint64_t end) {
  std::istringstream lines{std::string(smaps)};
  std::uint64_t sum = 0;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    unsigned long long from = 0;
    unsigned long long to = 0;
    unsigned long long kilobytes = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2) inside = from < end && to > begin;
    if (inside && std::sscanf(line.c_str(), "AnonHugePages: %llu kB", &kilobytes) == 1) sum += kilobytes << 10;
  }
  return sum;
}

std::string processor_name(const std::filesystem::path& root) {
  const std::string cpuinfo = text_of(root / "proc/cpuinfo");
  if (const auto names = values_in(cpuinfo, "model name"); !names.empty() && !names[0].empty()) return names[0];
  std::vector<CoreType> kinds = kinds_in_sysfs(root);
  if (kinds.empty()) kinds = kinds_in_cpuinfo(cpuinfo);
  std::ranges::sort(kinds);
  const auto repeated = std::ranges::unique(kinds);
  kinds.erase(repeated.begin(), repeated.end());
  std::string name;
  for (const CoreType& kind : kinds) name += (name.empty() ? "" : " and ") + name_of(kind);
  if (!name.empty()) return name;
  return std::string(bare(text_of(root / "proc/device-tree/model")));
}

std::optional<bool> is_virtualised(const std::filesystem::path& root) {
  const std::string cpuinfo = text_of(root / "proc/cpuinfo");
  // Every x86 hypervisor sets a bit that no real processor does.
  if (const auto flags = values_in(cpuinfo, "flags"); !flags.empty())
    return (" " + flags[0] + " ").find(" hypervisor ") != std::string::npos;
  if (!bare(text_of(root / "sys/hypervisor/type")).empty()) return true;
  const std::optional<bool> by_firmware = virtualised_by_firmware(root);
  const std::optional<bool> by_tree = virtualised_by_device_tree(root);
  if (by_firmware == true || by_tree == true) return true;
  return by_firmware ? by_firmware : by_tree;
}

}  // namespace sonde::os
