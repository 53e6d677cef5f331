#include "measure/counted_work.hpp"

#include <iterator>

namespace sonde::measure {
namespace {

bool only_reads(const Words& words) { return words.pattern.value_or(Pattern::read) == Pattern::read; }

}  // namespace

Workload CountedWork::counted(Workload workload) const {
  auto* const stepped = std::get_if<SteppedWork>(&workload.work);
  if (meter_ == nullptr || stepped == nullptr) return workload;
  stepped->run = [run = std::move(stepped->run), meter = meter_](std::uint64_t steps) {
    meter->begin();
    const device::Nanoseconds time = run(steps);
    meter->end(steps);
    return time;
  };
  return workload;
}

void CountedWork::add(const Workload& workload, const Repetitions& repetitions) {
  if (meter_ == nullptr) return;
  const std::uint64_t amount = repetitions.counted_steps > 0 ? repetitions.counted_steps : repetitions.steps;
  // Only the timed windows are kept: caches were still empty in the untimed ones before.
  counters::TrafficMeter::Taken taken = meter_->take(amount, repetitions.values.size());
  moved_bytes_ += workload.bytes_per_step * static_cast<double>(amount) * static_cast<double>(taken.windows);
  std::ranges::move(taken.pieces, std::back_inserter(pieces_));
}

std::optional<PointTraffic> CountedWork::traffic() const {
  if (pieces_.empty()) return std::nullopt;
  const counters::Layout& layout = meter_->layout();
  PointTraffic all{.source = layout.name,
                   .traffic = counters::stated(counters::total(pieces_)),
                   .hit_rate = {},
                   .counts_cpu = layout.counts(counters::Role::cpu_read),
                   .beat_bytes = layout.beat_bytes(),
                   .moved_bytes = moved_bytes_};
  all.hit_rate = counters::hit_rate(all.traffic, layout.why_not.hit_rate);
  return all;
}

std::vector<double> CountedWork::hit_rates(const Words& words) const {
  std::vector<double> rates;
  for (const counters::Traffic& piece : pieces_) {
    const counters::HitRate rate = counters::hit_rate(counters::stated(piece), meter_->layout().why_not.hit_rate);
    const auto& wanted = only_reads(words) ? rate.reads : rate.reads_and_writes;
    if (wanted) rates.push_back(six_digits(*wanted));
  }
  return rates;
}

}  // namespace sonde::measure
