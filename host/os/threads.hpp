#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace sonde::os {

/// The system's number of a thread of this process; 0 is the calling one.
using ThreadId = std::int64_t;

/// CPUs by the system's numbers.
using Cpus = std::set<int>;

ThreadId this_thread();
std::vector<ThreadId> threads_of_this_process();

/// Up to 15 characters, for those who look at the process from outside.
void name_this_thread(const char* name);

/// CPUs that a thread may run on; none where the system does not say.
Cpus allowed_cpus(ThreadId thread = 0);

/// From now on the thread runs on these; false where the system refuses.
bool allow_cpus(ThreadId thread, const Cpus& cpus);

}  // namespace sonde::os
