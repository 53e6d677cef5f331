#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sonde::device::model {

enum class Policy { lru, plru, random };
enum class Scope { compute_unit, device };

struct ModelLevel {
  std::string name;
  std::uint64_t bytes = 0;  ///< 0 for the last level, memory itself
  std::uint32_t line_bytes = 64;
  std::uint32_t ways = 16;
  Policy policy = Policy::lru;
  bool hashed = false;
  Scope scope = Scope::device;
  bool memory_side = false;
  double latency_ns = 0;
  double read_gbps = 0;
  double write_gbps = 0;
};

struct NoiseDescription {
  double relative = 0;
  double outlier_share = 0;
  double outlier_factor = 1;
  double ramp_seconds = 0;
};

/// A table of pages; a page that is not in it costs an access the penalty.
struct Translation {
  std::uint64_t page_bytes = 65536;
  std::uint32_t entries = 512;
  double penalty_ns = 0;
};

struct HostMemoryDescription {
  double latency_ns = 0;
  bool bypasses_memory_side_cache = false;
  std::vector<std::string> zero_copy;
};

struct CopyDescription {
  double to_device_gbps = 0;
  double to_host_gbps = 0;
  double latency_us = 0;
  std::uint32_t engines = 1;
};

struct Cpu {
  double idle_latency_ns = 0;
  double loaded_latency_ns = 0;
  double contention_knee_gbps = 0;
};

/// The speed of the compute units; without rates they do not compute.
struct ArithmeticRates {
  /// Multiply-adds or additions in a cycle of each compute unit, in numbers, by type (fp32, int8 …). Types of less than
  /// 32 bits reach them in vectors that fill 32.
  std::map<std::string, double> per_cycle;
  double functions_per_cycle = 0;  ///< the same for reciprocals, roots, exponentials and sines
  double issue_per_cycle = 4;      ///< instructions, each of 32 work-items, that a compute unit begins in a cycle
  double latency_cycles = 4;       ///< after which a step's result is there for the next
};

/// A simulated GPU as its model file states it; docs/model-devices.md says what each number does.
struct Description {
  std::string name;
  std::string type = "discrete";  ///< what it pretends to be; it is always shown as simulated
  std::uint32_t compute_units = 1;
  std::uint64_t memory_bytes = 1ull << 34;
  bool unified_memory = false;
  double clock_mhz = 1000;
  double launch_ns = 0;
  double timer_step_ns = 1;
  double first_launch_ms = 0;
  std::uint64_t seed = 1;
  double local_latency_ns = 0;
  double idle_factor = 1;
  std::uint32_t saturated_by = 1;
  NoiseDescription noise;
  std::uint64_t noise_stream = 0;  ///< not in the file: devices that are alike but for this have noise of their own
  std::vector<ModelLevel> levels;
  std::vector<Translation> translation;  ///< tables, each asked where the one before has missed
  HostMemoryDescription host_memory;
  CopyDescription copy;
  Cpu cpu;
  ArithmeticRates arithmetic;
};

inline std::uint64_t noise_seed(const Description& description) {
  constexpr std::uint64_t apart = 0x9E3779B97F4A7C15ull;
  return description.seed ^ (description.noise_stream * apart);
}

}  // namespace sonde::device::model
