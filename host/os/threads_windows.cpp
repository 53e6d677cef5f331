#include <windows.h>

#include <tlhelp32.h>

#include <bit>
#include <map>
#include <utility>

#include "os/library.hpp"
#include "os/threads.hpp"
#include "os/windows.hpp"

// Source: "Processor Groups". Windows numbers CPUs within groups of at most 64, and a thread is in one group at a time.
// Here a CPU's number is 64 times its group's number plus its own, as in hwloc.
namespace sonde::os {
namespace {

constexpr int cpus_of_a_group = 64;

OwnHandle thread_of(ThreadId thread) {
  const DWORD id = thread == 0 ? GetCurrentThreadId() : static_cast<DWORD>(thread);
  return own(OpenThread(THREAD_QUERY_INFORMATION | THREAD_SET_INFORMATION, FALSE, id));
}

KAFFINITY all_of_group(WORD group) {
  const DWORD count = GetActiveProcessorCount(group);
  return count >= cpus_of_a_group ? ~KAFFINITY{0} : (KAFFINITY{1} << count) - 1;
}

void add(Cpus& cpus, WORD group, KAFFINITY mask) {
  for (int cpu = 0; cpu < cpus_of_a_group; ++cpu) {
    if ((mask >> cpu & 1) != 0) cpus.insert(group * cpus_of_a_group + cpu);
  }
}

}  // namespace

ThreadId this_thread() { return GetCurrentThreadId(); }

std::vector<ThreadId> threads_of_this_process() {
  std::vector<ThreadId> all;
  const OwnHandle snapshot = own(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0));
  if (!snapshot) return all;
  THREADENTRY32 entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = Thread32First(snapshot.get(), &entry); more != 0; more = Thread32Next(snapshot.get(), &entry)) {
    if (entry.th32OwnerProcessID == GetCurrentProcessId()) all.push_back(entry.th32ThreadID);
  }
  return all;
}

void name_this_thread(const char* name) {
  static const Library kernel("kernel32.dll");
  HRESULT (*describe)(HANDLE, PCWSTR) = nullptr;  // since Windows 10, version 1607
  kernel.find("SetThreadDescription", describe);
  if (describe != nullptr) describe(GetCurrentThread(), wide(name).c_str());
}

Cpus allowed_cpus(ThreadId thread) {
  Cpus cpus;
  const OwnHandle handle = thread_of(thread);
  GROUP_AFFINITY where{};
  if (!handle || GetThreadGroupAffinity(handle.get(), &where) == 0) return cpus;
  // A thread that may use all of its group may move to any other group: the mask only shows where it is now.
  const WORD groups = GetActiveProcessorGroupCount();
  if (groups > 1 && where.Mask == all_of_group(where.Group)) {
    for (WORD group = 0; group < groups; ++group) add(cpus, group, all_of_group(group));
  } else {
    add(cpus, where.Group, where.Mask);
  }
  return cpus;
}

bool allow_cpus(ThreadId thread, const Cpus& cpus) {
  const OwnHandle handle = thread_of(thread);
  GROUP_AFFINITY before{};
  if (!handle || cpus.empty() || GetThreadGroupAffinity(handle.get(), &before) == 0) return false;
  std::map<WORD, KAFFINITY> masks;
  for (const int cpu : cpus) masks[static_cast<WORD>(cpu / cpus_of_a_group)] |= KAFFINITY{1} << (cpu % cpus_of_a_group);
  // A thread can be in one group only: it stays in its own if that is wanted, else goes where it gets most CPUs.
  auto chosen = masks.find(before.Group);
  if (chosen == masks.end()) {
    chosen = masks.begin();
    for (auto one = masks.begin(); one != masks.end(); ++one) {
      if (std::popcount(one->second) > std::popcount(chosen->second)) chosen = one;
    }
  }
  GROUP_AFFINITY wanted{};
  wanted.Group = chosen->first;
  wanted.Mask = chosen->second;
  return SetThreadGroupAffinity(handle.get(), &wanted, nullptr) != 0;
}

void yield_to_others() { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST); }

}  // namespace sonde::os
