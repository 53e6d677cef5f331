#include "counters/traffic/hit_rate.hpp"

namespace sonde::counters {
namespace {

/// The least share of the fabric's bytes that has to remain without the CPU's. In a smaller one an error of the CPU's
/// counters, or of stations that stand for others, would be many times as large.
constexpr double least_share_without_cpu = 0.25;

/// The share of the fabric's bytes that did not reach memory, without the CPU's in both; nothing where too little is
/// left.
std::optional<double> share_of_hits(double fabric, double memory, double cpu) {
  if (!(fabric > 0) || fabric - cpu < least_share_without_cpu * fabric) return std::nullopt;
  return 1 - (memory - cpu) / (fabric - cpu);
}

std::string why_unknown(const Traffic& traffic) {
  if (traffic.labels.contains(Label::reads_zero))
    return "the memory counters read zero while the fabric moved data: firmware has not switched them on";
  if (traffic.labels.contains(Label::uneven))
    return "the stations that took turns differed by more than a tenth, so that none stands for the others";
  for (const Label label : {Label::saturated, Label::reset, Label::vanished, Label::not_counted}) {
    if (traffic.labels.contains(label)) return "a counter that it needs is unknown: " + std::string(name_of(label));
  }
  const bool fabric = traffic.amounts[Role::fabric_read] && traffic.amounts[Role::fabric_write];
  return fabric ? "the bytes at memory are not known" : "the bytes at the fabric are not known";
}

}  // namespace

HitRate hit_rate(const Traffic& traffic, std::string_view no_hit_rate) {
  HitRate rate;
  if (!no_hit_rate.empty()) {
    rate.why_not = no_hit_rate;
    return rate;
  }
  const auto& amounts = traffic.amounts;
  if (!amounts[Role::fabric_read] || !amounts[Role::fabric_write] || !amounts[Role::memory_read] ||
      !amounts[Role::memory_write]) {
    rate.why_not = why_unknown(traffic);
    return rate;
  }
  const double fabric = *amounts[Role::fabric_read] + *amounts[Role::fabric_write];
  const double memory = *amounts[Role::memory_read] + *amounts[Role::memory_write];
  rate.without_cpu = amounts[Role::cpu_read] && amounts[Role::cpu_write];
  const double cpu_read = rate.without_cpu ? *amounts[Role::cpu_read] : 0;
  const double cpu_write = rate.without_cpu ? *amounts[Role::cpu_write] : 0;
  rate.reads_and_writes = share_of_hits(fabric, memory, cpu_read + cpu_write);
  rate.reads = share_of_hits(*amounts[Role::fabric_read], *amounts[Role::memory_read], cpu_read);
  if (!rate.reads_and_writes)
    rate.why_not = fabric > 0 ? "hardly anybody but the CPU used the fabric" : "nothing moved at the fabric";
  return rate;
}

CpuLatency cpu_latency(const Traffic& traffic, std::string_view no_cpu_latency) {
  if (!no_cpu_latency.empty()) return {.ns = std::nullopt, .why_not = std::string(no_cpu_latency)};
  const auto& sum_ns = traffic.amounts[Role::l3_latency_ns];
  const auto& samples = traffic.amounts[Role::l3_samples];
  if (!sum_ns || !samples) return {};
  if (!(*samples > 0)) return {.ns = std::nullopt, .why_not = "L3 sampled no request that missed it"};
  return {.ns = *sum_ns / *samples, .why_not = ""};
}

}  // namespace sonde::counters
