#include "device/model/copies.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "device/device.hpp"
#include "device/error.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t most_queues = 64;
constexpr std::size_t directions = 3;

/// An engine and the copy that it works at, first its latency and then its bytes.
struct SimulatedEngine {
  const Transport* copy = nullptr;
  std::size_t queue = 0;
  double latency_ns = 0;
  double bytes = 0;

  [[nodiscard]] std::size_t direction() const { return static_cast<std::size_t>(copy->direction); }
};

class HostBytes final : public device::HostMemory {
 public:
  explicit HostBytes(std::uint64_t size_bytes) : bytes_(size_bytes) {}
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Transport transport_of(const device::Copy& copy) {
  using enum Transport::Direction;
  if (copy.from.buffer == nullptr && copy.to.buffer == nullptr) throw Error("a copy from host memory to host memory");
  return {copy.from.buffer == nullptr ? to_device
          : copy.to.buffer == nullptr ? to_host
                                      : within,
          static_cast<double>(copy.bytes)};
}

std::span<std::byte> part_of(device::HostMemory& host, std::uint64_t offset_bytes, std::uint64_t bytes) {
  const std::span<std::byte> all = host.bytes();
  if (offset_bytes > all.size() || bytes > all.size() - offset_bytes) throw Error("a copy reaches beyond host memory");
  return all.subspan(offset_bytes, bytes);
}

void move(const device::Copy& copy) {
  std::vector<std::byte> between;
  std::span<const std::byte> from;
  if (copy.from.buffer != nullptr) {
    between.resize(copy.bytes);
    copy.from.buffer->read(copy.from.offset_bytes, between);
    from = between;
  } else {
    from = part_of(*copy.from.host, copy.from.offset_bytes, copy.bytes);
  }
  if (copy.to.buffer != nullptr) {
    copy.to.buffer->write(copy.to.offset_bytes, from);
  } else {
    std::ranges::copy(from, part_of(*copy.to.host, copy.to.offset_bytes, copy.bytes).begin());
  }
}

class ModelCopies final : public CopyEngines {
 public:
  ModelCopies(const Description& description, double within_gbps, Timing& timing, RunKernel run_kernel, Copied copied)
      : description_(description),
        within_gbps_(within_gbps),
        timing_(timing),
        run_kernel_(std::move(run_kernel)),
        copied_(std::move(copied)) {}

  CopyQueues queues(CopyEngine engine) override {
    if (engine == CopyEngine::transfer) throw Unsupported("a model's copy engines are those of its driver");
    return {.name = "simulated queues", .count = most_queues};
  }

  std::unique_ptr<device::HostMemory> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
    if (kind == HostKind::imported) throw Unsupported("a model imports no memory");
    return std::make_unique<HostBytes>(size_bytes);
  }

  CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) override {
    if (lists.size() > queues(engine).count) throw Unsupported("a model has 64 queues");
    std::vector<std::vector<Transport>> transports;
    double bytes = 0;
    for (const CopyList& list : lists) {
      transports.emplace_back();
      for (const device::Copy& copy : list) {
        transports.back().push_back(transport_of(copy));
        move(copy);
        bytes += static_cast<double>(copy.bytes);
      }
    }
    const Schedule found = schedule(description_, within_gbps_, transports);
    const double noise = timing_.copies_ns(found.all_ns) / std::max(found.all_ns, 1e-9);
    CopyTimes times{.all = Nanoseconds(timing_.stepped_ns(found.all_ns * noise)), .each = {}};
    copied_(bytes, times.all.count());
    for (const double ns : found.each_ns) times.each.emplace_back(timing_.stepped_ns(ns * noise));
    return times;
  }

  BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) override {
    const CopyTimes copies = run(engine, std::span(&list, 1));
    const Nanoseconds kernel_time = run_kernel_(kernel, launch);
    return {.copies = copies.all, .kernel = kernel_time, .kernel_outlasted = kernel_time > copies.all};
  }

 private:
  const Description description_;
  const double within_gbps_;
  Timing& timing_;
  RunKernel run_kernel_;
  Copied copied_;
};

}  // namespace

Schedule schedule(const Description& description, double within_gbps,
                  const std::vector<std::vector<Transport>>& queues) {
  // Rates in bytes a nanosecond, by direction.
  const std::array<double, directions> rates{description.copy.to_device_gbps, description.copy.to_host_gbps,
                                             within_gbps};
  Schedule result{.all_ns = 0, .each_ns = std::vector<double>(queues.size())};
  std::vector<std::size_t> done(queues.size());
  std::vector<bool> is_served(queues.size());
  std::vector<SimulatedEngine> engines(std::max(1u, description.copy.engines));
  std::size_t turn = 0;  // counts the queues that were asked
  const auto take_next = [&](SimulatedEngine& engine) {
    engine.copy = nullptr;
    for (std::size_t tried = 0; tried < queues.size() && engine.copy == nullptr; ++tried) {
      const std::size_t queue = turn++ % queues.size();
      if (is_served[queue] || done[queue] == queues[queue].size()) continue;
      is_served[queue] = true;
      engine = {.copy = &queues[queue][done[queue]++],
                .queue = queue,
                .latency_ns = description.copy.latency_us * 1e3,
                .bytes = 0};
      engine.bytes = engine.copy->bytes;
    }
  };
  for (SimulatedEngine& engine : engines) take_next(engine);
  for (;;) {
    std::array<double, directions> sharers{};
    for (const SimulatedEngine& engine : engines) {
      if (engine.copy != nullptr && engine.latency_ns <= 0) ++sharers[engine.direction()];
    }
    const auto left_ns = [&](const SimulatedEngine& engine) {
      if (engine.latency_ns > 0) return engine.latency_ns;
      return engine.bytes / (rates[engine.direction()] / sharers[engine.direction()]);
    };
    double step_ns = -1;
    for (const SimulatedEngine& engine : engines) {
      if (engine.copy != nullptr) step_ns = step_ns < 0 ? left_ns(engine) : std::min(step_ns, left_ns(engine));
    }
    if (step_ns < 0) return result;
    result.all_ns += step_ns;
    for (SimulatedEngine& engine : engines) {
      if (engine.copy == nullptr) continue;
      const bool ends = left_ns(engine) <= step_ns * (1 + 1e-12);
      if (engine.latency_ns > 0) {
        engine.latency_ns = ends ? 0 : engine.latency_ns - step_ns;
      } else if (!ends) {
        engine.bytes -= step_ns * rates[engine.direction()] / sharers[engine.direction()];
      } else {
        result.each_ns[engine.queue] = result.all_ns;
        is_served[engine.queue] = false;
        engine.copy = nullptr;
      }
    }
    for (SimulatedEngine& engine : engines) {
      if (engine.copy == nullptr) take_next(engine);
    }
  }
}

std::unique_ptr<CopyEngines> make_copy_engines(const Description& description, double within_gbps, Timing& timing,
                                               RunKernel run_kernel, Copied copied) {
  if (description.copy.to_device_gbps <= 0 || description.copy.to_host_gbps <= 0) {
    throw Unsupported("the model file gives no copy.to_device_gbps and copy.to_host_gbps");
  }
  return std::make_unique<ModelCopies>(description, within_gbps, timing, std::move(run_kernel), std::move(copied));
}

}  // namespace sonde::device::model
