// A chain of dependent integer arithmetic, x = x * factor + addend: time that depends on the clock alone.
// factor and addend are arguments so that no compiler can fold the chain.
// state: [0] x, read and written back; [1] trips made.
#include "steps.h"
#define STEP x = x * factor + addend;

__attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
kernel void alu_chain(global uint* restrict state, uint trips, uint factor, uint addend) {
  const uint item = get_global_id(0);
  if (item != 0) return;
  uint x = state[item];
  MAKE_ARITHMETIC_TRIPS
  state[item] = x;
  state[item + 1] = trip;
}
