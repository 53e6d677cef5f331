#include "records/input_files.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "built_in_models.hpp"
#include "device/number_arithmetic.hpp"

namespace sonde::records {
namespace {

using device::model::Description;
using device::model::ModelLevel;
using Document = nlohmann::json;

constexpr std::uint64_t any = ~std::uint64_t{0};

// These limits are above those of any memory or driver; sums of such times and rates still resolve their smallest part.
constexpr Range time_ns{.most = 1e9};
constexpr Range latency_ns{.most = 1e7, .excludes_least = true};
constexpr Range rate_gbps{.most = 1e7, .excludes_least = true};

/// A memory kind of the contract's `memory` series: a name of OpenCL's, or flags of a Vulkan memory type.
bool is_memory_kind(std::string_view kind) {
  constexpr std::array<std::string_view, 6> names{"alloc-host-ptr", "use-host-ptr", "svm-coarse",
                                                  "svm-fine",       "svm-system",   "imported-host"};
  constexpr std::array<std::string_view, 4> flags{"device-local", "host-visible", "host-coherent", "host-cached"};
  if (std::find(names.begin(), names.end(), kind) != names.end()) return true;
  while (true) {
    const std::size_t plus = kind.find('+');
    if (std::find(flags.begin(), flags.end(), kind.substr(0, plus)) == flags.end()) return false;
    if (plus == std::string_view::npos) return true;
    kind.remove_prefix(plus + 1);
  }
}

ModelLevel read_level(Fields& fields, std::size_t place, bool is_last) {
  fields.require({"latency_ns"});
  ModelLevel level;
  level.name = is_last ? "memory" : "L" + std::to_string(place + 1);
  fields.text("name", level.name);
  if (is_last && fields.has("bytes"))
    fields.complain("bytes", "must be left out, as the last level is the memory itself");
  if (!is_last) fields.require({"bytes"});
  std::uint64_t line_bytes = level.line_bytes;
  fields.power_of_two("line", line_bytes, 1u << 20);
  level.line_bytes = static_cast<std::uint32_t>(line_bytes);
  fields.whole("bytes", level.bytes, line_bytes, any);
  fields.whole("ways", level.ways, 1);
  level.policy = static_cast<device::model::Policy>(fields.word("policy", {"lru", "plru", "random"}, 0));
  fields.flag("hashed", level.hashed);
  level.scope = static_cast<device::model::Scope>(fields.word("per", {"compute_unit", "device"}, 1));
  fields.flag("memory_side", level.memory_side);
  if (level.memory_side && level.scope == device::model::Scope::compute_unit) {
    fields.complain("per", "must be device, as a memory-side level is shared");
  }
  fields.number("latency_ns", level.latency_ns, latency_ns);
  fields.number("read_gbps", level.read_gbps, rate_gbps);
  fields.number("write_gbps", level.write_gbps, rate_gbps);
  return level;
}

void read_levels(Fields& fields, Description& model) {
  fields.objects("levels", [&model](Fields& level_fields, std::size_t place, std::size_t count) {
    const bool is_last = place + 1 == count;
    const ModelLevel level = read_level(level_fields, place, is_last);
    if (place > 0 && !is_last && level.bytes < model.levels.back().bytes) {
      level_fields.complain("bytes", "must be at least the " + std::to_string(model.levels.back().bytes) +
                                         " of the level before, not " + std::to_string(level.bytes));
    }
    if (level.bytes > model.memory_bytes) {
      level_fields.complain("bytes", "must be at most memory_bytes, which is " + std::to_string(model.memory_bytes));
    }
    model.levels.push_back(level);
  });
}

void read_parts(Fields& fields, Description& model) {
  fields.object("noise", [&noise = model.noise](Fields& part) {
    part.number("relative", noise.relative, share);
    part.number("outlier_share", noise.outlier_share, share);
    part.number("outlier_factor", noise.outlier_factor, {.least = 1, .most = 1e6});
    part.number("ramp_seconds", noise.ramp_seconds, Range{.most = 1000});
  });
  fields.one_or_more("translation", [&model](Fields& part) {
    device::model::Translation& table = model.translation.emplace_back();
    part.power_of_two("page", table.page_bytes, std::uint64_t{1} << 40);
    part.whole("entries", table.entries, 1, 1u << 24);
    part.number("penalty_ns", table.penalty_ns, time_ns);
    if (table.page_bytes > model.memory_bytes) {
      part.complain("page", "must be at most memory_bytes, not " + std::to_string(table.page_bytes));
    }
  });
  fields.object("host_memory", [&host = model.host_memory](Fields& part) {
    part.number("latency_ns", host.latency_ns, latency_ns);
    part.flag("bypasses_memory_side_cache", host.bypasses_memory_side_cache);
    part.texts("zero_copy", host.zero_copy);
    for (const std::string& kind : host.zero_copy) {
      if (!is_memory_kind(kind))
        part.complain("zero_copy", "must name kinds of memory, and " + shown(kind) + " is none");
    }
  });
  fields.object("copy", [&copy = model.copy](Fields& part) {
    part.number("to_device_gbps", copy.to_device_gbps, rate_gbps);
    part.number("to_host_gbps", copy.to_host_gbps, rate_gbps);
    part.number("latency_us", copy.latency_us, Range{.most = 1e6});
    part.whole("engines", copy.engines, 1, 64);
  });
  fields.object("cpu", [&cpu = model.cpu](Fields& part) {
    part.number("idle_latency_ns", cpu.idle_latency_ns, latency_ns);
    part.number("loaded_latency_ns", cpu.loaded_latency_ns, latency_ns);
    part.number("contention_knee_gbps", cpu.contention_knee_gbps, Range{.most = 1e7});
  });
}

void read_arithmetic(Fields& fields, Description& model) {
  static constexpr Range per_cycle{.most = 1e5, .excludes_least = true};
  fields.object("arithmetic", [&rates = model.arithmetic](Fields& part) {
    for (const device::NumberTypeFacts& type : device::number_types) {
      const std::string name(type.name);
      if (part.has(name)) part.number(name, rates.per_cycle[name], per_cycle);
    }
    rates.functions_per_cycle = rates.per_cycle.contains("fp32") ? rates.per_cycle["fp32"] / 8 : 0;
    part.number("functions", rates.functions_per_cycle, per_cycle);
    part.number("issue_per_cycle", rates.issue_per_cycle, Range{.most = 64, .excludes_least = true});
    part.number("latency_cycles", rates.latency_cycles, Range{.least = 1, .most = 1000});
  });
}

}  // namespace

Description parse_model(const JsonText& text) {
  const Document object = parsed(text);
  Fields fields(object, text.where, "");
  fields.require({"name", "levels"});
  Description model;
  fields.text("name", model.name);
  model.type = fields.word("type", {"discrete", "integrated"}, 0) == 0 ? "discrete" : "integrated";
  fields.whole("compute_units", model.compute_units, 1, 1u << 16);
  fields.whole("memory_bytes", model.memory_bytes, 1u << 20, std::uint64_t{1} << 50);
  fields.flag("unified_memory", model.unified_memory);
  fields.number("clock_mhz", model.clock_mhz, Range{.most = 1e6, .excludes_least = true});
  fields.number("launch_ns", model.launch_ns, time_ns);
  fields.number("timer_step_ns", model.timer_step_ns, Range{.most = 1e9, .excludes_least = true});
  fields.number("first_launch_ms", model.first_launch_ms, Range{.most = 1e6});
  fields.whole("seed", model.seed, 0, any);
  fields.number("local_latency_ns", model.local_latency_ns, latency_ns);
  fields.number("idle_factor", model.idle_factor, Range{.most = 1000, .excludes_least = true});
  fields.whole("saturated_by", model.saturated_by, 1);
  read_levels(fields, model);
  read_parts(fields, model);
  read_arithmetic(fields, model);
  fields.refuse_others();
  return model;
}

JsonText built_in_model_text(std::string_view name) {
  for (const BuiltInModel& model : built_in_models) {
    if (model.name == name) return {.text = std::string(model.text), .where = "model:" + std::string(name)};
  }
  std::string known;
  for (const BuiltInModel& model : built_in_models) known += (known.empty() ? "" : ", ") + std::string(model.name);
  throw InvalidFile("model:" + std::string(name) + " is not built in; these are: " + known);
}

}  // namespace sonde::records
