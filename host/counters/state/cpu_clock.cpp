#include "counters/state/sources.hpp"

#include <algorithm>
#include <ranges>

#include "counters/state/sysfs.hpp"
#include "os/file.hpp"
#include "os/threads.hpp"

// Sources: kernel, Documentation/admin-guide/pm/cpufreq.rst (scaling_cur_freq, kHz); proc(5);
// devicetree.org, Devicetree Specification, 3.8 ("clock-frequency: the current clock speed of the CPU in Hertz").
namespace sonde::counters {
namespace {

constexpr std::size_t most_cpuinfo_bytes = 4 << 20;

std::optional<double> cpufreq_mhz(const std::filesystem::path& cpu) {
  const auto kilohertz = read_number(cpu / "cpufreq" / "scaling_cur_freq");
  return kilohertz && *kilohertz > 0 ? std::optional(*kilohertz * 1e-3) : std::nullopt;
}

std::optional<double> sysfs_clock_mhz(const std::filesystem::path& cpus, int cpu) {
  if (const auto clock = cpufreq_mhz(cpus / ("cpu" + std::to_string(cpu)))) return clock;
  std::optional<double> fastest;
  for (const auto& other : numbered(cpus, "cpu")) fastest = std::max(fastest, cpufreq_mhz(other));
  return fastest;
}

/// Firmware states the clock in the device tree, in Hz as 4 or 8 bytes in big-endian order.
std::optional<double> device_tree_clock_mhz(const std::filesystem::path& cpu) {
  const std::string bytes = os::read_bytes(cpu / "of_node" / "clock-frequency", 16).value_or("");
  if (bytes.size() != 4 && bytes.size() != 8) return std::nullopt;
  std::uint64_t hertz = 0;
  for (const char byte : bytes) hertz = hertz << 8 | static_cast<unsigned char>(byte);
  return hertz > 0 ? std::optional(static_cast<double>(hertz) * 1e-6) : std::nullopt;
}

/// "cpu MHz" of a CPU in the text of /proc/cpuinfo; of the fastest where that CPU is not in it.
std::optional<double> cpuinfo_clock_mhz(std::string_view text, int cpu) {
  std::optional<double> fastest;
  std::optional<double> processor;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const auto number = number_in(line.substr(colon + 1));
    if (line.starts_with("processor")) processor = number;
    if (!line.starts_with("cpu MHz") || !number || *number <= 0) continue;
    if (processor && *processor == cpu) return number;
    fastest = std::max(fastest, number);
  }
  return fastest;
}

}  // namespace

std::optional<int> last_cpu_in(std::string_view stat) {
  // Fields are counted from behind the name, which may have blanks and brackets: the 39th, of which the state is the
  // 3rd.
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 39 && at != stat.npos; ++field) at = stat.find(' ', at + 1);
  if (at == stat.npos) return std::nullopt;
  const auto cpu = number_in(stat.substr(at, stat.find(' ', at + 1) - at));
  return cpu && *cpu >= 0 ? std::optional(static_cast<int>(*cpu)) : std::nullopt;
}

Source cpu_clock_source(const std::filesystem::path& root, std::function<std::optional<int>()> which_cpu) {
  if (!which_cpu) {
    which_cpu = [stat = "/proc/self/task/" + std::to_string(os::this_thread()) + "/stat"] {
      const auto text = read_text(stat);
      return text ? last_cpu_in(*text) : std::nullopt;
    };
  }
  const std::filesystem::path cpus = root / "sys/devices/system/cpu";
  // This is asked only once: without cpufreq, as in virtual machines, every reading would search hundreds of CPUs.
  const bool cpufreq = sysfs_clock_mhz(cpus, 0).has_value();
  return [=](DeviceState& reading) {
    const int cpu = which_cpu().value_or(0);
    if (cpufreq) {
      reading.cpu_clock_mhz = sysfs_clock_mhz(cpus, cpu);
    } else if (const auto text = os::read_bytes(root / "proc/cpuinfo", most_cpuinfo_bytes)) {
      reading.cpu_clock_mhz = cpuinfo_clock_mhz(*text, cpu);
    }
    if (!reading.cpu_clock_mhz) reading.cpu_clock_mhz = device_tree_clock_mhz(cpus / ("cpu" + std::to_string(cpu)));
  };
}

}  // namespace sonde::counters
