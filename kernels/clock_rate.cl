// The chain of kernels/alu_chain.cl between two readings of the counter of the core that runs it: what it takes in
// cycles, at whatever clock. Without such a counter both readings are zero.
// state: [0] x, [1] trips made, as there; [2] and [3] the low 32 bits of the counter before and after.
#include "steps.h"
#define STEP x = x * factor + addend;
#ifdef cl_khr_kernel_clock
#pragma OPENCL EXTENSION cl_khr_kernel_clock : enable
#endif
#if defined(cl_khr_kernel_clock) && defined(__opencl_c_kernel_clock_scope_sub_group)
#define TICKS (uint)clock_read_sub_group()
#elif defined(cl_khr_kernel_clock) && defined(__opencl_c_kernel_clock_scope_work_group)
#define TICKS (uint)clock_read_work_group()
#else
#define TICKS 0
#endif

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void clock_rate(global uint* restrict state, uint trips, uint factor, uint addend) {
  const uint item = get_global_id(0);
  if (item != 0) return;
  uint x = state[item];
  const uint before = TICKS;
  MAKE_ARITHMETIC_TRIPS
  const uint after = TICKS;
  state[item] = x;
  state[item + 1] = trip;
  state[item + 2] = before;
  state[item + 3] = after;
}
