#pragma once

#include <string>

#include "support/fake_tree.hpp"

// Trees of files as Linux shows the counters of known machines.
namespace sonde::test {

inline constexpr const char* pmus = "sys/bus/event_source/devices/";

inline void write_pmu(const FakeTree& tree, const std::string& name, int type, const std::string& cpus) {
  tree.write(pmus + name + "/type", std::to_string(type) + "\n");
  tree.write(pmus + name + "/cpumask", cpus + "\n");
}

inline void write_format(const FakeTree& tree, const std::string& pmu, const std::string& field,
                         const std::string& bits) {
  tree.write(pmus + pmu + "/format/" + field, bits + "\n");
}

/// The fabric of Zen 1 to 3.
inline void write_zen2(const FakeTree& tree) {
  write_pmu(tree, "amd_df", 11, "0");
  write_format(tree, "amd_df", "event", "config:0-7,32-35,59-60");
  write_format(tree, "amd_df", "umask", "config:8-15");
}

/// The L3 of Zen 3 and later, two of them.
inline void write_l3(const FakeTree& tree) {
  write_pmu(tree, "amd_l3", 13, "0,8");
  write_format(tree, "amd_l3", "event", "config:0-7");
  write_format(tree, "amd_l3", "umask", "config:8-15");
  write_format(tree, "amd_l3", "coreid", "config:42-44");
  write_format(tree, "amd_l3", "enallslices", "config:46");
  write_format(tree, "amd_l3", "enallcores", "config:47");
  write_format(tree, "amd_l3", "sliceid", "config:48-50");
  write_format(tree, "amd_l3", "threadmask", "config:56-57");
}

/// The fabric since Zen 4, with so many memory controllers, which Linux shows since 6.7.
inline void write_zen4(const FakeTree& tree, int memory_controllers) {
  write_pmu(tree, "amd_df", 11, "0");
  write_format(tree, "amd_df", "event", "config:0-7,32-37");
  write_format(tree, "amd_df", "umask", "config:8-15,24-27");
  write_l3(tree);
  for (int controller = 0; controller < memory_controllers; ++controller) {
    const std::string name = "amd_umc_" + std::to_string(controller);
    write_pmu(tree, name, 20 + controller, "0");
    write_format(tree, name, "event", "config:0-7");
    write_format(tree, name, "rdwrmask", "config:8-9");
  }
}

inline void write_processor(const FakeTree& tree, const std::string& vendor, int family, int model) {
  tree.write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: " + vendor + "\ncpu family\t: " + std::to_string(family) +
                                 "\nmodel\t\t: " + std::to_string(model) + "\nmodel name\t: some processor\n\n");
}

inline void write_intel_event(const FakeTree& tree, const std::string& pmu, const std::string& event,
                              const std::string& fields) {
  const std::string file = pmus + pmu + "/events/" + event;
  tree.write(file, fields + "\n");
  tree.write(file + ".scale", "6.103515625e-5\n");
  tree.write(file + ".unit", "MiB\n");
}

/// Intel's memory controllers up to Ice Lake.
inline void write_skylake(const FakeTree& tree) {
  write_processor(tree, "GenuineIntel", 6, 94);
  write_pmu(tree, "uncore_imc", 12, "0");
  write_format(tree, "uncore_imc", "event", "config:0-7");
  write_intel_event(tree, "uncore_imc", "data_reads", "event=0x01");
  write_intel_event(tree, "uncore_imc", "data_writes", "event=0x02");
}

/// Intel's memory controllers from Tiger Lake on; only the processor's model tells the meaning of the numbers.
inline void write_tiger_lake_or_later(const FakeTree& tree, int model) {
  write_processor(tree, "GenuineIntel", 6, model);
  for (const char* box : {"0", "1"}) {
    const std::string free_running = std::string("uncore_imc_free_running_") + box;
    write_pmu(tree, free_running, 30, "0");
    write_format(tree, free_running, "event", "config:0-7");
    write_format(tree, free_running, "umask", "config:8-15");
    write_intel_event(tree, free_running, "data_read", "event=0xff,umask=0x20");
    write_intel_event(tree, free_running, "data_write", "event=0xff,umask=0x30");
    const std::string programmable = std::string("uncore_imc_") + box;
    write_pmu(tree, programmable, 40, "0");
    for (const char* field : {"event", "chmask", "edge"})
      write_format(tree, programmable, field, field == std::string("event") ? "config:0-7" : "config:8-11");
  }
}

}  // namespace sonde::test
