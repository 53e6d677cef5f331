#include "device/model/memory.hpp"

#include <algorithm>
#include <utility>

namespace sonde::device::model {
namespace {

/// The levels, then the host's memory as one; what the description does not state of that is as in the device's.
std::vector<ModelLevel> with_host(const Description& description) {
  std::vector<ModelLevel> levels = description.levels;
  ModelLevel host = levels.back();
  host.name = "host memory";
  if (description.host_memory.latency_ns > 0) host.latency_ns = description.host_memory.latency_ns;
  // Copies go over the same bus where it is not the same memory.
  if (!description.unified_memory && description.copy.to_device_gbps > 0)
    host.read_gbps = description.copy.to_device_gbps;
  if (!description.unified_memory && description.copy.to_host_gbps > 0) host.write_gbps = description.copy.to_host_gbps;
  levels.push_back(host);
  for (ModelLevel& level : levels) {
    const double gbps =
        lines_in_flight * description.compute_units * level.line_bytes / std::max(level.latency_ns, 1e-3);
    if (level.read_gbps <= 0) level.read_gbps = gbps;
    if (level.write_gbps <= 0) level.write_gbps = gbps;
  }
  return levels;
}

/// The factor on latency of a queue that builds up from a knee on; the contract has the same rule for the CPU beside a
/// loaded memory.
double waiting_factor(double share_of_rate) {
  constexpr double knee = 0.6;
  constexpr double at_full_rate = 2;
  return 1 + (at_full_rate - 1) * std::max(0.0, share_of_rate - knee) / (1 - knee);
}

}  // namespace

void add(Traffic& sum, const Traffic& more, double times) {
  for (std::size_t transfer = 0; transfer < sum.size(); ++transfer) {
    sum[transfer].resize(more[transfer].size());
    for (std::size_t level = 0; level < more[transfer].size(); ++level)
      sum[transfer][level] += times * more[transfer][level];
  }
}

Memory::Memory(const Description& description, std::uint64_t host_begin)
    : levels_(with_host(description)),
      host_begin_(host_begin),
      bypasses_(description.host_memory.bypasses_memory_side_cache),
      idle_factor_(description.idle_factor),
      seed_(description.seed),
      caches_(description.levels.size() - 1),
      hits_(levels_.size()),
      stream_hits_(levels_.size()),
      loads_gbps_(levels_.size()),
      compute_units_(description.compute_units),
      saturated_by_(std::min(description.saturated_by, description.compute_units)) {
  for (std::vector<double>& by_level : streamed_bytes_) by_level.resize(levels_.size());
  for (std::size_t level = 0; level < caches_.size(); ++level) {
    caches_[level].resize(levels_[level].scope == Scope::compute_unit ? description.compute_units : 1);
  }
  for (const Translation& table : description.translation) {
    if (table.penalty_ns <= 0) continue;
    tables_.push_back({.page_bytes = table.page_bytes,
                       .penalty_ns = table.penalty_ns,
                       .pages = WideSets(SetIndex(1, false, 0), table.entries, Policy::lru, 0)});
  }
}

void Memory::start(std::uint32_t compute_unit) {
  work_off();
  compute_unit_ = compute_unit;
  std::ranges::fill(hits_, 0);
  for (TranslationBuffer& table : tables_) table.misses = 0;
  std::ranges::fill(loads_gbps_, 0);
  for (std::vector<double>& by_level : streamed_bytes_) std::ranges::fill(by_level, 0);
}

void Memory::stream(std::uint64_t address, std::uint64_t bytes, Transfer transfer) {
  work_off();
  // The hits of a stream are counted apart from those that somebody waits for.
  std::ranges::fill(stream_hits_, 0);
  hits_.swap(stream_hits_);
  streams_ = true;
  const std::uint64_t line_bytes = levels_.front().line_bytes;
  const std::uint64_t first = address / line_bytes;
  const std::uint64_t end = (address + bytes + line_bytes - 1) / line_bytes;
  for (std::uint64_t line = first; line < end; ++line) access(line * line_bytes);
  work_off();
  streams_ = false;
  hits_.swap(stream_hits_);
  const double bytes_per_line = static_cast<double>(bytes) / static_cast<double>(end - first);
  std::vector<double>& served = streamed_bytes_[static_cast<std::size_t>(transfer)];
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    served[level] += static_cast<double>(stream_hits_[level]) * bytes_per_line;
  }
}

double Memory::streamed_ns(std::uint32_t groups) const {
  const auto sum = [this](Transfer transfer, double ModelLevel::* rate) {
    const std::vector<double>& served = streamed_bytes_[static_cast<std::size_t>(transfer)];
    double ns = 0;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      ns += served[level] / levels_[level].*rate;  // a GB/s is a byte a nanosecond
    }
    return ns;
  };
  const double ns =
      std::max(sum(Transfer::read, &ModelLevel::read_gbps), sum(Transfer::write, &ModelLevel::write_gbps));
  return ns * std::max(1.0, static_cast<double>(saturated_by_) / groups);
}

double Memory::elapsed_ns(FabricState fabric) {
  work_off();
  double ns = 0;
  for (const TranslationBuffer& table : tables_) ns += static_cast<double>(table.misses) * table.penalty_ns;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const bool slowed = fabric == FabricState::idle && level + 2 >= levels_.size();
    ns += static_cast<double>(hits_[level]) * levels_[level].latency_ns * (slowed ? idle_factor_ : 1) *
          waiting_factor(loads_gbps_[level] / levels_[level].read_gbps);
  }
  return ns;
}

void Memory::work_off() {
  if (count_ == 0) return;
  if (!tables_.empty() && !streams_) {
    for (std::size_t access = 0; access < count_; ++access) {
      for (TranslationBuffer& table : tables_) {
        const std::uint64_t page = addresses_[access] / table.page_bytes;
        if (page == std::exchange(table.last_page, page) || table.pages.touch(static_cast<std::uint32_t>(page))) break;
        ++table.misses;
      }
    }
  }
  requests_.clear();
  std::uint64_t waiting = count_;
  std::uint32_t line_bytes = levels_.front().line_bytes;
  for (std::uint32_t access = 0; access < count_; ++access) {
    requests_.push_back({static_cast<std::uint32_t>(addresses_[access] / line_bytes), access});
  }
  for (std::size_t level = 0; level < caches_.size(); ++level) {
    if (in_host_ && bypasses_ && levels_[level].memory_side) continue;
    const std::uint32_t next_line_bytes = levels_[level].line_bytes;
    if (next_line_bytes > line_bytes) {
      for (LineRequest& request : requests_) request.line /= next_line_bytes / line_bytes;
    } else if (next_line_bytes < line_bytes) {
      const std::uint32_t parts = line_bytes / next_line_bytes;
      finer_requests_.clear();
      for (const LineRequest request : requests_) {
        for (std::uint32_t part = 0; part < parts; ++part) {
          const std::uint32_t line = request.line * parts + part;
          const bool is_streamed =
              request.access != LineRequest::no_access && addresses_[request.access] / next_line_bytes == line;
          finer_requests_.push_back({line, is_streamed ? request.access : LineRequest::no_access});
        }
      }
      requests_.swap(finer_requests_);
    }
    line_bytes = next_line_bytes;
    const std::size_t unit = compute_unit_ % caches_[level].size();
    std::optional<Cache>& cache = caches_[level][unit];
    if (!cache) cache.emplace(levels_[level], mixed(mixed(seed_, level), unit));
    looks_ += requests_.size();
    const std::uint32_t hits = cache->keep_misses(requests_);
    hits_[level] += hits;
    waiting -= hits;
  }
  hits_[levels_.size() - (in_host_ ? 1 : 2)] += waiting;
  count_ = 0;
}

}  // namespace sonde::device::model
