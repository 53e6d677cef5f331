// Concludes a record file's findings again from its samples and prints their records, so that a way of concluding can
// be judged without measuring anew (findings_twice). Levels and what follows from them are left out: `sonde levels` is
// there for those, and they take a while to find.
// Usage: findings_again FILE > NEW

#include <cstdio>
#include <map>

#include "measure/level_findings.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "records/lines.hpp"

int main(int count, char** words) {
  using namespace sonde;
  if (count != 2) return 2;
  std::string note;
  std::map<records::Origin, std::vector<measure::Measurement>> known;
  measure::Request request;
  device::DeviceInfo info;
  for (const records::Line& line : records::read_file(words[1], note)) {
    if (const auto* run = std::get_if<records::RunLine>(&line)) request.seed = run->seed;
    if (const auto* device = std::get_if<records::DeviceRecord>(&line)) {
      if (device->line_bytes != 0) request.line_bytes = device->line_bytes;
      if (device->page_bytes != 0) request.page_bytes = device->page_bytes;
      request.stated_cache_bytes = device::largest_bytes(device->stated_caches);
      info.type = device->type;
      info.compute_units = device->compute_units;
    }
    const auto* sample = std::get_if<records::SampleLine>(&line);
    if (sample == nullptr || sample->measurement.interval || !records::is_point(*sample)) continue;
    measure::Measurement one = sample->measurement;
    one.point.curve = probes::find_curve(sample->origin.probe, one.point.words, one.unit);
    std::vector<measure::Measurement>& all = known[sample->origin];
    // A file has the visits of a point one after the other, as samples of their own.
    const auto same = std::ranges::find_if(
        all, [&](const measure::Measurement& other) { return measure::are_of_one_point(other, one); });
    if (same == all.end()) {
      all.push_back(std::move(one));
    } else {
      measure::add_visit(*same, one);
    }
  }
  for (const auto& [origin, measurements] : known) {
    for (const measure::Probe* probe : probes::named(origin.probe)) {
      std::vector<measure::Measurement> own;
      for (const measure::Measurement& one : measurements) {
        if (std::ranges::find(probe->curves, one.point.curve) != probe->curves.end()) own.push_back(one);
      }
      if (own.empty() || probe == &probes::latency || probe == &probes::cpu_latency) continue;
      measure::Conclusion conclusion = probe->conclude(request, own);
      conclusion.add(probe->stated(info, own));
      for (const measure::Finding& finding : conclusion.findings)
        std::puts(records::text_of(records::FindingLine{origin, std::string(finding.kind->name), finding}).c_str());
    }
  }
  return 0;
}
