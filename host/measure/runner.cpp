#include "measure/runner.hpp"

#include "measure/point_runner.hpp"
#include "measure/probe_run.hpp"

namespace sonde::measure {

bool run_probe(device::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer) {
  if (const auto obstacle = probe.obstacle(device.info())) {
    observer.skipped(probe, nullptr, *obstacle);
    return true;
  }
  PointRunner points(device, options, [&observer] { observer.alive(); });
  points.tell_failures([&](const std::string& what) { observer.failed(probe, nullptr, what); });
  ProbeRun run(device.info(), probe, options.request, options.request.look, observer);
  bool lost = false;
  while (const Visit* const visit = lost ? nullptr : run.wanted()) {
    Answer answer = points.answer(probe, *visit);
    lost = answer.end == Answer::End::lost;
    run.take(std::move(answer));
  }
  run.end();
  if (!lost) run.report(run.conclude());
  return !lost && !run.only_failed();
}

}  // namespace sonde::measure
