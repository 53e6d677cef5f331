#pragma once

#include "measure/worker.hpp"
#include "records/task.hpp"

namespace sonde::session {

/// Opens the device, settles its clock and asks every probe's question; all results leave through `send`.
void do_task(const records::MeasureTask& task, const measure::SendLine& send);

}  // namespace sonde::session
