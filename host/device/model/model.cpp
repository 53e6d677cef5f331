#include "device/model/model.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "device/model/kernels.hpp"
#include "device/model/timing.hpp"
#include "os/machine.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t largest_group = 1024;
constexpr std::uint64_t constant_bytes = 65536;
constexpr std::uint64_t local_bytes = 65536;
/// The least alignment of a buffer, as drivers give whole pages.
constexpr std::uint32_t least_alignment = 65536;

std::uint32_t longest_line_bytes(const std::vector<ModelLevel>& levels) {
  std::uint32_t longest = levels.size() == 1 ? levels.front().line_bytes : 0;
  for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
    longest = std::max(longest, levels[level].line_bytes);
  }
  return longest;
}

/// The device's own memory, then the host's, as much again.
struct Spaces {
  explicit Spaces(const Description& description) {
    // Lines and pages are numbered in 32 bits, which keeps the tags of a large cache in the host's own.
    std::uint64_t shortest_bytes = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t alignment = std::max(least_alignment, longest_line_bytes(description.levels));
    for (const Translation& table : description.translation) {
      shortest_bytes = std::min(shortest_bytes, table.page_bytes);
      alignment = std::max(alignment, table.page_bytes);
    }
    for (const ModelLevel& level : description.levels) {
      shortest_bytes = std::min<std::uint64_t>(shortest_bytes, level.line_bytes);
    }
    const std::uint64_t countable = shortest_bytes * (std::numeric_limits<std::uint32_t>::max() - 1ull);
    device = std::make_shared<AddressSpace>(std::min(description.memory_bytes, countable), alignment);
    host = std::make_shared<AddressSpace>(std::min(description.memory_bytes, countable - device->end()), alignment,
                                          device->end());
  }

  std::shared_ptr<AddressSpace> device;
  std::shared_ptr<AddressSpace> host;
};

/// The memory-side cache, as amdgpu states that of a real GPU: behind the GPU's own.
std::vector<StatedCache> stated_caches(const std::vector<ModelLevel>& levels) {
  std::vector<StatedCache> stated;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (!levels[level].memory_side) continue;
    stated.push_back({.level = std::max(memory_side_level, static_cast<int>(level) + 1),
                      .bytes = levels[level].bytes,
                      .source = "the model's file"});
  }
  return stated;
}

constexpr std::array<std::string_view, 6> opencl_names{"device",     "alloc-host-ptr", "use-host-ptr",
                                                       "svm-coarse", "svm-fine",       "svm-system"};

bool maps_freely(std::string_view kind) {
  return kind == "svm-fine" || kind == "svm-system" || kind == "imported-host" ||
         kind.find("host-coherent") != kind.npos;
}

/// Whether the device reads and writes memory of this kind where the CPU does.
bool is_zero_copy(const Description& description, std::string_view kind) {
  return std::ranges::find(description.host_memory.zero_copy, kind) != description.host_memory.zero_copy.end();
}

/// The kinds that OpenCL names, and what else the description calls zero-copy.
std::vector<MemoryKind> memory_kinds(const Description& description) {
  std::vector<MemoryKind> kinds;
  for (const std::string_view name : opencl_names) {
    MemoryKind kind{.name = std::string(name), .missing = "", .maps_freely = maps_freely(name)};
    if (kind.maps_freely && !is_zero_copy(description, name)) {
      kind.missing = "the model's zero_copy does not name it, and this kind is shared or not there at all";
    }
    kinds.push_back(kind);
  }
  for (const std::string& name : description.host_memory.zero_copy) {
    if (std::ranges::find(opencl_names, name) != opencl_names.end()) continue;
    kinds.push_back({.name = name, .missing = "", .maps_freely = maps_freely(name)});
  }
  return kinds;
}

class ModelDevice : public Device {
 public:
  explicit ModelDevice(const Description& description)
      : description_(description),
        info_(describe(description)),
        spaces_(description),
        memory_(description, spaces_.host->end() > spaces_.device->end() ? spaces_.device->end() : ~0ull),
        timing_(description_) {
    traffic_.stations.resize(fabric_stations);
    timeline_.full_gbps = memory_.device_memory().read_gbps;
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }

  [[nodiscard]] std::uint64_t available_bytes() override {
    // The buffers are really stored, so the host must have room for them too.
    return std::min(spaces_.device->free_bytes(), os::available_memory_bytes() / 4 * 3);
  }

  [[nodiscard]] std::unique_ptr<Buffer> make_buffer(std::uint64_t size_bytes, Use use) override {
    check_fits(info_, available_bytes(), size_bytes, use);
    return std::make_unique<Storage>(spaces_.device, size_bytes, costs_in(false), shared_);
  }

  [[nodiscard]] std::unique_ptr<Buffer> make_buffer_in(const MemoryKind& kind, std::uint64_t size_bytes,
                                                       Use use) override {
    const bool zero_copy = is_zero_copy(description_, memory_kind(info_, kind.name).name);
    const std::shared_ptr<AddressSpace>& space = zero_copy ? spaces_.host : spaces_.device;
    check_fits(info_, std::min(space->free_bytes(), os::available_memory_bytes() / 4 * 3), size_bytes, use);
    return std::make_unique<SharedStorage>(space, size_bytes, zero_copy, costs_in(zero_copy), shared_);
  }

  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(const KernelSource& source, std::uint32_t group_size,
                                                    std::span<const Constant> constants) override {
    if (group_size == 0 || group_size > largest_group) {
      throw Error("a group of " + std::to_string(group_size) + " work-items is not between 1 and 1024");
    }
    auto kernel = std::make_unique<ModelKernel>(reference_kernel(source.name), group_size);
    for (const Constant& one : constants) kernel->constants.emplace(one.name, one.value);
    return kernel;
  }

  Nanoseconds run(Kernel& kernel, const Launch& launch) override {
    shared_->clocks.beside_dispatches += HostCosts::submit_and_wait;
    return dispatch(kernel, launch);
  }

  BusyTimes keep_busy(Kernel& kernel, const std::function<Launch(std::size_t)>& launch,
                      const std::function<bool(Nanoseconds)>& enough) override {
    BusyTimes busy;
    shared_->clocks.beside_dispatches += HostCosts::submit_and_wait;
    do {
      const Nanoseconds begin(timeline_.now_ns);
      (void)dispatch(kernel, launch(busy.dispatches.size()));
      busy.dispatches.push_back({begin, Nanoseconds(timeline_.now_ns)});
    } while (!enough(busy.dispatches.back().end));
    return busy;
  }

  [[nodiscard]] std::unique_ptr<Companion> companion() override { return simulated_companion(description_, timeline_); }

  [[nodiscard]] CopyEngines& copy_engines() override {
    if (!copies_) {
      const ModelLevel& memory = memory_.device_memory();
      // Every byte of a copy within the device is read and written, and both overlap.
      copies_ = make_copy_engines(description_, std::min(memory.read_gbps, memory.write_gbps), timing_, traffic_,
                                  shared_->clocks, *this);
    }
    return *copies_;
  }

  [[nodiscard]] const SimulatedTraffic* simulated_traffic() override { return &traffic_; }

  [[nodiscard]] std::optional<double> simulated_seconds() override {
    const double computing_ns = ns_of_a_word * static_cast<double>(shared_->unread.words());
    return (timeline_.now_ns + shared_->clocks.beside_dispatches.count() + computing_ns) * 1e-9;
  }

  [[nodiscard]] Nanoseconds host_time() override { return shared_->clocks.host; }

 private:
  [[nodiscard]] HostCosts costs_in(bool host_memory) const {
    HostCosts costs{.copy = description_.copy, .clearing_gbps = HostCosts::host_clearing_gbps};
    if (!host_memory) costs.clearing_gbps = memory_.device_memory().write_gbps;
    if (costs.copy.to_device_gbps <= 0) costs.copy.to_device_gbps = description_.levels.back().write_gbps;
    if (costs.copy.to_host_gbps <= 0) costs.copy.to_host_gbps = description_.levels.back().read_gbps;
    return costs;
  }

  Nanoseconds dispatch(Kernel& kernel, const Launch& launch) {
    auto& compiled = dynamic_cast<ModelKernel&>(kernel);
    const std::vector<Storage*> buffers = checked_buffers(compiled.reference, launch);
    if (!compiled.reference.writes_later) {
      for (Storage* const buffer : buffers) buffer->settle();
    }
    compiled.groups = launch.groups;
    Invocation invocation{memory_, buffers, launch.scalars, compiled, description_, cycles_so_far_};
    memory_.start(0);
    const std::uint64_t looks_before = memory_.looks();
    compiled.reference.run(invocation);
    cycles_so_far_ += invocation.cycles + invocation.cycles_beside_streams;
    const double streamed_ns =
        std::max(memory_.streamed_ns(launch.groups), invocation.ns_of(invocation.cycles_beside_streams));
    // A dispatch runs alone, and one group does not wake the fabric.
    const FabricState fabric = launch.groups > 1 ? FabricState::loaded : FabricState::idle;
    const double work_ns = memory_.elapsed_ns(fabric) / invocation.loads_at_once + streamed_ns +
                           invocation.ns_of(invocation.cycles) + invocation.local_ns;
    const double ns = timing_.dispatch_ns(work_ns, !std::exchange(compiled.is_launched, true));
    const double begin_ns = std::exchange(timeline_.now_ns, timeline_.now_ns + ns);
    // What went to and from memory itself, the device's or the host's, which are the last two levels.
    double bytes = 0;
    for (const std::vector<double>& by_level : memory_.streamed())
      bytes += by_level.back() + by_level[by_level.size() - 2];
    if (bytes > 0) timeline_.spans.push_back({begin_ns, timeline_.now_ns, bytes / ns});
    shared_->clocks.host += Nanoseconds(ns);
    const double simulating_ns = ns_of_a_look * static_cast<double>(memory_.looks() - looks_before);
    shared_->clocks.beside_dispatches += Nanoseconds(std::max(0.0, simulating_ns - ns));
    add_dispatch(traffic_, memory_, ns);
    return Nanoseconds(ns);
  }

  [[nodiscard]] std::vector<Storage*> checked_buffers(const ReferenceKernel& reference, const Launch& launch) const {
    if (launch.buffers.size() != reference.buffers || launch.scalars.size() != reference.scalars ||
        launch.groups == 0) {
      throw Error("the kernel " + std::string(reference.name) + " was launched with other arguments than it has");
    }
    std::vector<Storage*> buffers;
    for (Buffer* const buffer : launch.buffers) {
      auto* const storage = dynamic_cast<Storage*>(buffer);
      const bool own = storage != nullptr && (storage->lies_in(*spaces_.device) || storage->lies_in(*spaces_.host));
      if (!own) throw Error("a buffer belongs to another device");
      buffers.push_back(storage);
    }
    return buffers;
  }

  /// A dispatch takes so much of a run's time for each look into a cache at least, and words that somebody reads so
  /// much more to compute. Simulating takes about that, and a run that is given a minute shall not work for an hour.
  static constexpr double ns_of_a_look = 18;
  static constexpr double ns_of_a_word = 1;

  Description description_;
  DeviceInfo info_;
  Timeline timeline_;
  Spaces spaces_;
  Memory memory_;
  SimulatedTraffic traffic_;
  Timing timing_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::unique_ptr<CopyEngines> copies_;  ///< made when first asked for
  double cycles_so_far_ = 0;             ///< cycles of all arithmetic; the counter that kernels can read
};

}  // namespace

DeviceInfo describe(const Description& description) {
  if (description.levels.empty()) throw Error("a model device needs at least one level");
  DeviceInfo info;
  info.api = Api::model;
  info.type = DeviceType::model;
  info.name = description.name;
  info.platform = "model";
  info.driver = "simulated";
  info.compute_units = description.compute_units;
  info.memory_bytes = description.memory_bytes;
  info.largest_buffer_bytes = description.memory_bytes;
  info.largest_buffer_reason = "the memory of the model";
  info.unified_memory = description.unified_memory;
  info.line_bytes = longest_line_bytes(description.levels);
  info.largest_group_size = largest_group;
  info.constant_bytes = constant_bytes;
  info.texel_bytes = description.memory_bytes;
  info.local_bytes = description.local_latency_ns > 0 ? local_bytes : 0;
  info.timer_step_ns = description.timer_step_ns;
  info.clock_mhz = description.clock_mhz;
  info.core_clock = true;
  for (const NumberTypeFacts& type : number_types) {
    const std::string name(type.name);
    if (description.arithmetic.per_cycle.contains(name)) continue;
    info.missing_types[name] = {.reason = "the model's file has no \"arithmetic\" with a rate of " + name};
  }
  info.stated_caches = stated_caches(description.levels);
  info.memory_kinds = memory_kinds(description);
  return info;
}

std::unique_ptr<Device> open(const Description& description) { return std::make_unique<ModelDevice>(description); }

}  // namespace sonde::device::model
